"""Services in their tables: written in one transaction, read back, known again by other addresses, with their lives."""
