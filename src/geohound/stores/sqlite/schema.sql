-- One file holds the tasks, their frontiers and the catalogue.

CREATE TABLE task (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  created_at REAL NOT NULL,
  spec BLOB NOT NULL,            -- what was asked for, as JSON
  state TEXT NOT NULL,
  finished_at REAL,
  ending TEXT NOT NULL DEFAULT ''  -- why its last run ended
);

-- Apart from `task`, because these change often and what was asked for never does.
CREATE TABLE progress (
  task INTEGER PRIMARY KEY REFERENCES task (id),
  order_state BLOB NOT NULL DEFAULT x'',
  counters BLOB NOT NULL DEFAULT '{}'
);

CREATE TABLE drops (
  task INTEGER NOT NULL REFERENCES task (id),
  reason TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (task, reason)
) WITHOUT ROWID;

-- Pages on which links were found. id = task << 32 | number, so that each frontier numbers its own.
CREATE TABLE source (id INTEGER PRIMARY KEY, url TEXT NOT NULL);

-- Every admitted URL. id = task << 32 | number in order of admission. No index beside it: the set of known URLs and
-- the queues live in memory and are read back in one pass. Short columns first: that pass never touches the rest.
CREATE TABLE url (
  id INTEGER PRIMARY KEY,
  key INTEGER NOT NULL,       -- 64-bit hash of the canonical URL
  shape INTEGER NOT NULL,     -- 40-bit hash of its pattern
  state INTEGER NOT NULL,     -- 0 pending, 1 done, 2 asked in vain, 3 dropped without asking, 4 reached by a redirect,
                              -- 5 refused, not admitted: an example, which may come in another time
  purpose INTEGER NOT NULL,   -- 0 page, 1 probe, 2 harvest, 3 check, 4 file, 5 watcher
  score REAL NOT NULL,
  url TEXT NOT NULL,
  depth INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  via TEXT NOT NULL,
  source INTEGER,
  clue TEXT NOT NULL,
  reason TEXT,
  status INTEGER,
  services INTEGER,
  at REAL,
  harvester TEXT NOT NULL DEFAULT ''  -- of what is to be harvested
);

CREATE TABLE service (
  num INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  loose_endpoint TEXT NOT NULL,  -- without scheme and leading www
  version TEXT NOT NULL,
  title TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  content_key TEXT NOT NULL,     -- hash of title and layer names; empty where there are no layers
  state TEXT NOT NULL DEFAULT 'unknown',  -- what model.health.assess says of its checks, kept for filters
  first_seen REAL NOT NULL,
  last_seen REAL NOT NULL,
  popularity INTEGER NOT NULL DEFAULT 0,  -- sightings
  body BLOB NOT NULL             -- the service as JSON, without layers and aliases
);
CREATE INDEX service_by_fingerprint ON service (fingerprint) WHERE fingerprint <> '';
CREATE INDEX service_by_loose_endpoint ON service (loose_endpoint);

-- Every address of a service, its own endpoint first; id = the id that a service at this address would have.
CREATE TABLE alias (
  id TEXT PRIMARY KEY,
  endpoint TEXT NOT NULL,
  service INTEGER NOT NULL REFERENCES service (num)
) WITHOUT ROWID;
CREATE INDEX alias_by_endpoint ON alias (endpoint);
CREATE INDEX alias_by_service ON alias (service);

CREATE TABLE layer (
  num INTEGER PRIMARY KEY,
  service INTEGER NOT NULL REFERENCES service (num),
  ordinal INTEGER NOT NULL,
  name TEXT NOT NULL,
  title TEXT NOT NULL,
  abstract TEXT NOT NULL,
  keywords TEXT NOT NULL,
  body BLOB NOT NULL,            -- the layer as JSON, without the columns above
  UNIQUE (service, ordinal)
);

CREATE TABLE sighting (
  num INTEGER PRIMARY KEY,
  service INTEGER NOT NULL REFERENCES service (num),
  url TEXT NOT NULL,
  found_on TEXT NOT NULL,
  via TEXT NOT NULL,
  evidence TEXT NOT NULL,
  at REAL NOT NULL,
  task INTEGER NOT NULL,
  depth INTEGER NOT NULL,
  UNIQUE (service, url, found_on, via)
);
CREATE INDEX sighting_by_url ON sighting (url);

CREATE TABLE health_check (
  num INTEGER PRIMARY KEY,
  service INTEGER NOT NULL REFERENCES service (num),
  at REAL NOT NULL,
  ok INTEGER,
  reason TEXT NOT NULL,
  elapsed_s REAL NOT NULL,
  fingerprint TEXT NOT NULL
);
CREATE INDEX check_by_service ON health_check (service, at);
