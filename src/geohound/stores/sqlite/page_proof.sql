-- Version 32 read each page whole at each look: now it is asked whether it has changed (model.revisit.PageProof).
ALTER TABLE check_queue ADD COLUMN etag TEXT NOT NULL DEFAULT '';
ALTER TABLE check_queue ADD COLUMN last_modified TEXT NOT NULL DEFAULT '';
ALTER TABLE check_queue ADD COLUMN read_at REAL;
