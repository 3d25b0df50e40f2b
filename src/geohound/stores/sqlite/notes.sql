-- What people who use the portal keep: searches, each of one person, and judgements, which all make together.
CREATE TABLE IF NOT EXISTS saved_search (
  num INTEGER PRIMARY KEY,
  owner TEXT NOT NULL,          -- name of an account; empty for the only user of a machine
  title TEXT NOT NULL,
  parameters TEXT NOT NULL,     -- of the search page
  saved_at REAL NOT NULL,
  opened_at REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS saved_search_by_owner ON saved_search (owner);

CREATE TABLE IF NOT EXISTS judgement (
  topic TEXT NOT NULL,
  class TEXT NOT NULL,
  service TEXT NOT NULL,        -- its id
  is_real INTEGER NOT NULL,
  judge TEXT NOT NULL,          -- name of an account
  at REAL NOT NULL,
  PRIMARY KEY (topic, class, service)
);
