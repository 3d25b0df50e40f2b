"""The contracts of stores in SQL that SQLite and PostgreSQL both read; `sqlite` and `postgres` connect."""
