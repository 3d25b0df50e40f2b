"""A search, what it finds, and the segments it reads."""
