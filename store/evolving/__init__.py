"""The evolving memory: one agent's own, as its blueprint has it.

    interaction.py    what an agent did, as the memories that it becomes
    context.py        memories of each layer as one text within a budget

`store.evolving.agent_memory` carries it out over a memory.
"""
