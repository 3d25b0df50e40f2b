-- The task that asked for a page of results: what it has asked for counts against its budget, also after a kill.
ALTER TABLE search_page ADD COLUMN task INTEGER NOT NULL DEFAULT 0;
