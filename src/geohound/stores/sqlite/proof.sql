-- The request whose answer is all that a service says of itself, and what to send with it to learn whether it still says
-- so; `reader` is the Geohound that read it: another one may read more, so it asks in full.
CREATE TABLE proof (
  service INTEGER PRIMARY KEY REFERENCES service (num),
  url TEXT NOT NULL,
  etag TEXT NOT NULL,
  modified TEXT NOT NULL,
  at REAL NOT NULL,              -- when it was read in full
  reader TEXT NOT NULL
);
CREATE INDEX proof_by_url ON proof (url);
