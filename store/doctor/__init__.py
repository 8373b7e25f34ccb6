"""The doctor: what is wrong with a store, what it means, and the plan that would mend it.

An examination reads and changes nothing; a repair is an operation like any other.
"""
