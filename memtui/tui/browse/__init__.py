"""Browse, the home screen: agents, categories, gauge, search, results and the selected memory."""
