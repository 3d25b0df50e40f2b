"""The portal: pages for people, JSON for programs, over one catalogue."""
