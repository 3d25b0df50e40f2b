"""One parser of search parameters and one set of records for command line, API, pages and library."""
