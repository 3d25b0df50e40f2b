-- Pages that may hold a service, kept for a second look: for some days, and so many bytes of them.
CREATE TABLE kept_page (
  url TEXT PRIMARY KEY,
  task INTEGER NOT NULL,
  at REAL NOT NULL,
  keyword_group INTEGER NOT NULL,  -- 0 is best
  content_type TEXT NOT NULL,
  size INTEGER NOT NULL,
  packed BLOB NOT NULL
);
CREATE INDEX kept_page_by_worth ON kept_page (keyword_group, at, size);
