"""The same tasks on several machines: Ray starts and watches processes, all truth is in PostgreSQL (decision 43)."""
