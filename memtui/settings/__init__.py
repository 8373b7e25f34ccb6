"""Settings of the app, beside those of memory."""
