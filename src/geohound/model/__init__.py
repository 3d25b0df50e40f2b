"""What Geohound talks about: frozen values and pure functions."""
