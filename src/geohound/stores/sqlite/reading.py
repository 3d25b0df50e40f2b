"""Services out of their rows."""
# ruff: noqa: S608 - only question marks are put into the statements

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Sequence

from geohound.model.service import Layer, Service

from .codec import load_layer, load_service

LAYER_COLUMNS = "name, title, abstract, keywords, body"  # as load_layer takes them


def read_services(
    connection: sqlite3.Connection, nums: Sequence[int], *, with_layers: bool = True
) -> dict[int, Service]:
    """Services by number, in the order asked for; what is not there is left out."""
    marks = f"({','.join('?' * len(nums))})"
    doors: dict[int, list[str]] = defaultdict(list)
    sql = f"""SELECT door.service, door.endpoint FROM door JOIN service ON num = door.service
              WHERE door.service IN {marks} AND door.endpoint <> service.endpoint ORDER BY door.endpoint"""
    for num, address in connection.execute(sql, nums):
        doors[num].append(address)
    layers: dict[int, list[Layer]] = defaultdict(list)
    if with_layers:
        sql = f"SELECT service, {LAYER_COLUMNS} FROM layer WHERE service IN {marks} ORDER BY service, ordinal"
        for num, *columns in connection.execute(sql, nums):
            layers[num].append(load_layer(*columns))
    rows = dict(connection.execute(f"SELECT num, body FROM service WHERE num IN {marks}", nums).fetchall())
    return {
        num: load_service(rows[num], tuple(layers.get(num, ())), tuple(doors.get(num, ())))
        for num in nums
        if num in rows
    }
