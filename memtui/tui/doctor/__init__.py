"""The doctor: what is wrong with the memory, and its repair."""
