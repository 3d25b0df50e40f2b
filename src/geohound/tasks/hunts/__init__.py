"""A hunt: the search agent asks providers in rounds, and the crawl reads what they bring."""

SEARCH, CRAWL = "search", "crawl"
STEPS = (SEARCH, CRAWL)  # of a hunt; each can be run alone
