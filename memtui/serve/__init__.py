"""Servers for programs: the Model Context Protocol, and JSON-RPC."""
