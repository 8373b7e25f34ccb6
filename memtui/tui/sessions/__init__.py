"""Sessions: the conversations of this project, listed, searched and opened."""
