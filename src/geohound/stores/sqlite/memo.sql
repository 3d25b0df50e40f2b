-- What a crawl has learned of families of URLs (near-duplicates, traps), for a run that goes on with it: numbers rise with
-- each writing, and those written longest ago are given up.
CREATE TABLE memo (
  num INTEGER PRIMARY KEY,
  task INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  key INTEGER NOT NULL,
  state BLOB NOT NULL,
  UNIQUE (task, kind, key)
);
