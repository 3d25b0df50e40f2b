-- Copies that other tasks may take instead of the page, each kept for its own time. No index but the key: what is too
-- much goes rarely, and is looked for in one pass.
ALTER TABLE kept_page ADD COLUMN until REAL NOT NULL DEFAULT 0;
ALTER TABLE kept_page ADD COLUMN is_whole INTEGER NOT NULL DEFAULT 0;
UPDATE kept_page SET until = at + 30 * 86400;
DROP INDEX kept_page_by_worth;
