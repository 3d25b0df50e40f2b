"""The same records and queries in pycsw, in plain SQL with FTS5 and R*Tree, and in a LIKE scan."""
