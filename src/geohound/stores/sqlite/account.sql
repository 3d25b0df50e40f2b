-- Accounts of the portal. Passwords are hashes of argon2, secrets of sessions and tokens only their digests.
CREATE TABLE IF NOT EXISTS account (
  num INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL,           -- 'removed': the name is never given again
  created_at REAL NOT NULL,
  subject TEXT NOT NULL,        -- at an OpenID provider; empty where there is a password
  password_hash TEXT NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS account_by_subject ON account (subject) WHERE subject <> '';

CREATE TABLE IF NOT EXISTS credential (
  num INTEGER PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE,
  account TEXT NOT NULL,
  kind TEXT NOT NULL,           -- session, token
  created_at REAL NOT NULL,
  expires_at REAL NOT NULL,
  label TEXT NOT NULL,
  scopes TEXT NOT NULL          -- separated by spaces
);
CREATE INDEX IF NOT EXISTS credential_by_account ON credential (account);
CREATE INDEX IF NOT EXISTS credential_by_expiry ON credential (expires_at);

CREATE TABLE IF NOT EXISTS audit (
  num INTEGER PRIMARY KEY,
  at REAL NOT NULL,
  who TEXT NOT NULL,
  what TEXT NOT NULL,
  about TEXT NOT NULL,
  address TEXT NOT NULL
);

-- Tasks that guests may see. Numbers of tasks are never used again, so that of a deleted one does no harm.
CREATE TABLE IF NOT EXISTS sample_task (task INTEGER PRIMARY KEY);
