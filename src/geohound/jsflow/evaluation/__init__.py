"""Working out expressions: names, members, classes, calls and their sites."""
