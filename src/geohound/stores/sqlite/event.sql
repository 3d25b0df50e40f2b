-- What happened to each task, numbered without gaps; beyond a bound the oldest go.
CREATE TABLE event (
  task INTEGER NOT NULL REFERENCES task (id),
  n INTEGER NOT NULL,
  at REAL NOT NULL,
  type TEXT NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (task, n)
) WITHOUT ROWID;
