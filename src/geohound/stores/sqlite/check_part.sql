-- Version 31 did not divide the queue over several processes: `part` is a hash of the registered domain of the host
-- (stores/divisions.py), of which each process has a range.
ALTER TABLE check_queue ADD COLUMN part INTEGER NOT NULL DEFAULT 0;
