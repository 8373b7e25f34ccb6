"""What all screens share: asking memory, keys, routes, operations, toasts, theme."""
