"""One file per program: a request in, the code that makes it out."""
