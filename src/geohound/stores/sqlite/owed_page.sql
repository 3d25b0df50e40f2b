-- Pages that a watcher's report had when a crawl took the site, and that were not read yet: the next crawl reads them.
CREATE TABLE IF NOT EXISTS owed_page (
  origin TEXT NOT NULL,
  key INTEGER NOT NULL,    -- 64-bit hash of the canonical URL
  url TEXT NOT NULL,
  PRIMARY KEY (origin, key)
) WITHOUT ROWID;
