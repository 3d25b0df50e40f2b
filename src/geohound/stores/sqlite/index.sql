-- What a service is about.
CREATE TABLE IF NOT EXISTS topic (
  service INTEGER NOT NULL REFERENCES service (num),
  topic TEXT NOT NULL,
  class TEXT NOT NULL,
  PRIMARY KEY (service, topic, class)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS topic_by_name ON topic (topic, class);

-- What has changed, in order, for whoever follows the catalogue: of a service the last change of its document and that
-- of its state. A change is replaced by a later one only, so the highest revision is always there.
CREATE TABLE change (
  revision INTEGER PRIMARY KEY,
  service INTEGER NOT NULL REFERENCES service (num),
  is_document INTEGER NOT NULL,
  UNIQUE (service, is_document)
);
INSERT INTO change (service, is_document) SELECT num, 1 FROM service ORDER BY num;

-- The search index: blobs of segments that never change, and the one manifest that names those that count.
CREATE TABLE segment_part (
  segment TEXT NOT NULL,
  part TEXT NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (segment, part)
) WITHOUT ROWID;
CREATE TABLE manifest (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  version INTEGER NOT NULL,
  format INTEGER NOT NULL,
  upto INTEGER NOT NULL,
  segments TEXT NOT NULL         -- id, entries and services of each, as JSON
);
