"""`python -m geohound` is the same as `geohound`."""

from geohound.cli import main

main()
