-- Sites with a watcher, and the pages that its report had and that were read: they are read again when they change.
CREATE TABLE IF NOT EXISTS watched_site (
  origin TEXT PRIMARY KEY,
  task INTEGER NOT NULL,   -- that asked last
  holder TEXT NOT NULL,    -- the name by which it asked
  read_to REAL,            -- when the report was written whose pages were taken last
  asked_at REAL NOT NULL,
  whole_at REAL NOT NULL   -- when the site was last crawled whole
);
CREATE TABLE IF NOT EXISTS watched_page (
  origin TEXT NOT NULL,
  key INTEGER NOT NULL,    -- 64-bit hash of the canonical URL
  PRIMARY KEY (origin, key)
) WITHOUT ROWID;
