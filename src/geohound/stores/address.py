"""The name of a catalogue: a SQLite file, or the address of a PostgreSQL database."""

from __future__ import annotations

import re
from pathlib import Path

from geohound.contracts import StoreError


def is_postgres(address: str) -> bool:
    return address.startswith(("postgresql://", "postgres://"))


def without_password(address: str) -> str:
    """The name as people may see it."""
    return re.sub(r"//([^/@:]*):[^/@]*@", r"//\1@", address)


def one_name(address: str) -> str:
    """The same for all names of one file."""
    return address if is_postgres(address) else str(path_of(address).resolve())


def path_of(address: str) -> Path:
    """The file of a catalogue; StoreError where this cannot be one."""
    if not address.strip():
        raise StoreError(
            "The name of the catalogue is empty; name a SQLite file such as geoweb.db."
        )
    if "://" in address:
        raise StoreError(
            f"{without_password(address)} is no catalogue; name a SQLite file such as geoweb.db, or "
            "postgresql://user@host/database."
        )
    try:
        return Path(address).expanduser()
    except RuntimeError:
        raise StoreError(
            f"{address} is no catalogue: there is no user with the name after ~. Name another file."
        ) from None


def may_exist(address: str) -> bool:
    """Is there such a file, or is that for whoever opens it to find out?"""
    if is_postgres(address):
        return True
    try:
        return path_of(address).exists()
    except OSError:  # of its folder, or of its name
        return True


def is_there(address: str) -> bool:
    """Is there a catalogue to open? A database is one unless it says otherwise."""
    if is_postgres(address):
        return True
    try:
        return path_of(address).is_file()
    except OSError:  # whoever opens it says so
        return False
