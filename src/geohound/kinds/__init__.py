"""The registry of service kinds: one file per family; bytes in, Service out, no input or output of their own."""
