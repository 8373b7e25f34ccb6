"""Settings of the app, added to those of memory."""
