"""The frame of all screens: asking memory, keys, routes, operations, toasts, theme."""
