-- Tasks that are parts of another one, and the links that they have found for each other.
CREATE TABLE IF NOT EXISTS shard (
  task INTEGER PRIMARY KEY REFERENCES task (id),
  parent INTEGER NOT NULL REFERENCES task (id),
  number INTEGER NOT NULL,
  count INTEGER NOT NULL,
  is_idle INTEGER NOT NULL DEFAULT 0,
  has_more INTEGER NOT NULL DEFAULT 0,  -- idle only because its pages are spent
  granted INTEGER NOT NULL DEFAULT 0,   -- pages that it may visit
  UNIQUE (parent, number)
);
CREATE TABLE IF NOT EXISTS parcel (
  num INTEGER PRIMARY KEY AUTOINCREMENT,
  parent INTEGER NOT NULL,
  number INTEGER NOT NULL,              -- of the shard that it is for
  body BLOB NOT NULL                    -- candidates as JSON
);
-- How the cluster that works for this catalogue stands.
CREATE TABLE IF NOT EXISTS cluster_status ("only" INTEGER PRIMARY KEY CHECK ("only" = 1), body BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS parcel_by_shard ON parcel (parent, number, num);
