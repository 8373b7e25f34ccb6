"""What programs call: the Model Context Protocol, and JSON-RPC."""
