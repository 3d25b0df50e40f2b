-- Data files that crawls met, each by its address; what its headers said last.
CREATE TABLE data_file (
  num INTEGER PRIMARY KEY,
  url TEXT NOT NULL UNIQUE,
  format TEXT NOT NULL,
  evidence TEXT NOT NULL,        -- of the format: name, type or content
  found_on TEXT NOT NULL,
  found_at REAL NOT NULL,
  task INTEGER NOT NULL,         -- that was the first to find it
  title TEXT NOT NULL,
  size INTEGER,
  modified REAL,
  status INTEGER NOT NULL DEFAULT 0,
  asked_at REAL
);
CREATE INDEX data_file_by_task ON data_file (task);
