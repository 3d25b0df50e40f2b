-- What the monitor looks at again, and when; the statistics are those of model.revisit.LookStats.
CREATE TABLE IF NOT EXISTS check_queue (
  purpose TEXT NOT NULL,      -- check: target is the id of a service; page, probe: an address
  target TEXT NOT NULL,
  host TEXT NOT NULL,
  due_at REAL NOT NULL,
  looked_at REAL,
  looks INTEGER NOT NULL DEFAULT 0,
  changes REAL NOT NULL DEFAULT 0,
  changed_s REAL NOT NULL DEFAULT 0,
  unchanged_s REAL NOT NULL DEFAULT 0,
  failures INTEGER NOT NULL DEFAULT 0,
  deaths INTEGER NOT NULL DEFAULT 0,
  rank INTEGER NOT NULL DEFAULT 1,
  depth INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (purpose, target)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS check_queue_by_host ON check_queue (host, due_at);
CREATE INDEX IF NOT EXISTS check_queue_by_time ON check_queue (due_at);
