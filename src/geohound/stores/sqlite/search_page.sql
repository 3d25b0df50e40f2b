-- Pages of results of search providers and when they were had, so that nobody is asked (and paid) for them again.
CREATE TABLE IF NOT EXISTS search_page (
    source TEXT NOT NULL, query TEXT NOT NULL, page INTEGER NOT NULL, at REAL NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (source, query, page)
) WITHOUT ROWID;
