"""One memory that lives long, asked about everything."""
