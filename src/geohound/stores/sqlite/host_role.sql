-- Why the host of a page was asked when it was: 0 any, 1 one of the best, 2 explored.
ALTER TABLE url ADD COLUMN host_role INTEGER NOT NULL DEFAULT 0;
