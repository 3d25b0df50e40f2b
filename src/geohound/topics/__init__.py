"""One data file per topic: words, classes, languages."""
