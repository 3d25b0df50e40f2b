-- What stands for the content of a visited page and for its words, so that repetitions are seen after a restart too.
CREATE TABLE mark (url INTEGER PRIMARY KEY, body INTEGER NOT NULL, words INTEGER NOT NULL);

-- Every request that was made, for the owners of the hosts.
CREATE TABLE request (
  num INTEGER PRIMARY KEY,
  task INTEGER NOT NULL,
  host TEXT NOT NULL,
  at REAL NOT NULL,
  url TEXT NOT NULL,
  status INTEGER NOT NULL,    -- 0 where there was no answer
  reason TEXT NOT NULL,       -- why not
  bytes INTEGER NOT NULL,
  elapsed_s REAL NOT NULL,
  address TEXT NOT NULL
);
CREATE INDEX request_by_host ON request (host, at);

-- Hosts that are to be left alone for long, until this time, whatever happens to the crawl meanwhile.
CREATE TABLE pause (task INTEGER NOT NULL, host TEXT NOT NULL, until REAL NOT NULL, PRIMARY KEY (task, host)) WITHOUT ROWID;
