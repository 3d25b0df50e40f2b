"""What `make measure` counts: functions, imports, names, and the walk of one URL."""
