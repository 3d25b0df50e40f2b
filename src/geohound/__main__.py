"""Where the program starts: `geohound`, which is the same as `python -m geohound`."""

import sys


def start() -> None:
    """Run the command line; Ctrl+C while it is still being loaded ends it without a traceback."""
    try:
        from geohound.cli import main  # noqa: PLC0415 - loading takes a moment, in which people press Ctrl+C

        main()
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:
        if not _comes_of_an_interrupt(error):
            raise
        sys.exit(130)


def _comes_of_an_interrupt(error: BaseException | None) -> bool:
    """An interrupt while a class or a module is made is reported as the cause of another error."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__cause__
    return False


if __name__ == "__main__":
    start()
