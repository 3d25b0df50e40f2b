-- The robots.txt of each origin and when it was read, so that nobody is asked for it again because a crawl was stopped.
CREATE TABLE robots (origin TEXT PRIMARY KEY, at REAL NOT NULL, body BLOB NOT NULL) WITHOUT ROWID;
