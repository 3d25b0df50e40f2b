"""Work as values: tasks and their events, the URLs they queue, jobs, reports, and what these bring along."""
