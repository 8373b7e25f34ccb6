"""Writing a memory as text: in the user's editor, on the command line or in the app."""
