"""The bundled sample store of the demo."""
