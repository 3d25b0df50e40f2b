-- What search agents have learned, under the name of each knowledge base.
CREATE TABLE IF NOT EXISTS knowledge (name TEXT PRIMARY KEY, packed BLOB NOT NULL) WITHOUT ROWID;
