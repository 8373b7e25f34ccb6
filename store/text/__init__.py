"""Text in, text or numbers out: cleaning, comparing and counting."""
