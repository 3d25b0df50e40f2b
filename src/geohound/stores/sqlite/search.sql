-- What search reads: see entries.py for what an entry is, segments.py for how these tables are kept.
-- The services of one transaction, until enough are sealed into a block. The last that is written of a service counts alone.
CREATE TABLE fresh (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  service INTEGER NOT NULL,      -- the first of them
  size INTEGER NOT NULL,         -- entries: the services and their layers
  record BLOB NOT NULL,          -- segments.RECORD each
  facets BLOB NOT NULL,          -- uint32 each
  boxes BLOB NOT NULL,           -- four int32 per entry
  terms TEXT NOT NULL,           -- one a line
  counts BLOB NOT NULL,          -- uint32 per term: how many postings it has
  offsets BLOB NOT NULL,         -- of the postings: entry among those of the row
  worths BLOB NOT NULL           -- and worth of the word there, in 255ths
);
CREATE INDEX fresh_by_size ON fresh (size);

-- Many services, one after the other; id = the id of the first fresh row in it.
CREATE TABLE block (
  id INTEGER PRIMARY KEY,
  level INTEGER NOT NULL,        -- 0 as sealed, 1 merged
  size INTEGER NOT NULL,
  records BLOB NOT NULL,
  facets BLOB NOT NULL,
  boxes BLOB NOT NULL
);

CREATE TABLE posting (
  block INTEGER NOT NULL REFERENCES block (id),
  term TEXT NOT NULL,
  hits BLOB NOT NULL,            -- entries within the block (uint16, in a block beyond 65,536 uint32), then worths
  PRIMARY KEY (block, term)
) WITHOUT ROWID;

CREATE TABLE facet (
  id INTEGER PRIMARY KEY,        -- number << 4 | field
  field INTEGER NOT NULL,        -- place in model.query.FACETS
  value TEXT NOT NULL,
  UNIQUE (field, value)
);

CREATE TABLE topic (
  service INTEGER NOT NULL REFERENCES service (num),
  topic TEXT NOT NULL,
  class TEXT NOT NULL,
  PRIMARY KEY (service, topic, class)
) WITHOUT ROWID;
CREATE INDEX topic_by_name ON topic (topic, class);

CREATE INDEX service_by_revision ON service (revision, num, state, popularity);
