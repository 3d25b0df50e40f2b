"""Where the program starts: `geohound`, which is the same as `python -m geohound`."""

import sys


def start() -> None:
    """Run the command line; Ctrl+C while it is still being loaded ends it without a traceback."""
    try:
        from geohound.cli import main  # noqa: PLC0415 - loading takes a moment, in which people press Ctrl+C

        main()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    start()
