-- Which process asks a host at present, and until when the host is to be left alone, whoever asks it. Times are UTC.
CREATE TABLE host_claim (
  host TEXT PRIMARY KEY,
  holder TEXT NOT NULL,                 -- empty where it was let go
  expires_at REAL NOT NULL,
  due_at REAL NOT NULL,
  is_wanted INTEGER NOT NULL DEFAULT 0  -- others asked for it since
) WITHOUT ROWID;
