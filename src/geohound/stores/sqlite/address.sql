-- The numeric address that was asked for a URL, as far as a request got there.
ALTER TABLE url ADD COLUMN address TEXT NOT NULL DEFAULT '';
