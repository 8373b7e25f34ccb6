"""Edit, new, delete, archive, pin, mute: what is done with the memories at hand."""
