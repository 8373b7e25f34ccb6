"""The Model Context Protocol: six tools, resources and a prompt over one memory."""
