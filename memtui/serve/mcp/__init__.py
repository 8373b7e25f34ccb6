"""The Model Context Protocol: tools, resources and a prompt over one memory."""
