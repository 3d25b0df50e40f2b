"""The search agent: which queries are asked, and which of their results become seeds; pure functions."""
