"""Tasks in the portal: pages, routes, and the events that a live page follows."""
