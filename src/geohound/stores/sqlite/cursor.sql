-- The page with which a harvest goes on, as its harvester wrote it; empty where it begins.
ALTER TABLE url ADD COLUMN cursor BLOB NOT NULL DEFAULT x'';
