"""One package per database, each a Frontier and a Catalogue."""
