"""Boxes in SQL: the three relations and the overlap ratio, right across the antimeridian."""
# ruff: noqa: S608 - expressions are put together from our own parts; numbers are always values

from __future__ import annotations

from geohound.model.bbox import BBox, Relation, is_within, overlaps

# Of a stored box; the second range is empty (1000 to -1000) unless the box crosses the antimeridian.
_RANGES = (("west", "east"), ("west2", "east2"))
_COLUMNS = {"west": "qw0", "east": "qe0", "west2": "qw1", "east2": "qe1", "south": "qs", "north": "qn"}
NO_RANGE = (1000.0, -1000.0)
_AREA = "(east - west + max(0, east2 - west2)) * (north - south)"
_FLOAT32_SLACK_DEG = 1e-4  # box_index is rounded outwards to float32


def box_values(box: BBox) -> dict[str, float]:
    """Values for the names in the expressions below."""
    first, second = box_ranges(box)
    values = (*first, *second, box.south, box.north)
    return {**dict(zip(_COLUMNS.values(), values, strict=True)), "qarea": box.area}


def box_ranges(box: BBox) -> tuple[tuple[float, float], tuple[float, float]]:
    """The longitudes of a box as two ranges, the second one empty unless the box crosses the antimeridian."""
    first, *second = [(part.west, part.east) for part in box.parts()]
    return first, second[0] if second else NO_RANGE


def relation_sql(box: BBox, relation: Relation) -> str:
    """Does a row of `box` stand in this relation to the box asked for?"""
    asked = [(f":qw{i}", f":qe{i}") for i in range(len(box.parts()))]
    match relation:
        case Relation.OVERLAPS:
            pairs = [f"({w} <= {qe} AND {e} >= {qw})" for w, e in _RANGES for qw, qe in asked]
            return f"(south <= :qn AND north >= :qs AND ({' OR '.join(pairs)}))"
        case Relation.WITHIN:
            first, second = (" OR ".join(f"({w} >= {qw} AND {e} <= {qe})" for qw, qe in asked) for w, e in _RANGES)
            return f"(south >= :qs AND north <= :qn AND ({first}) AND (west2 > east2 OR {second}))"
        case Relation.CONTAINS:
            all_of = [" OR ".join(f"({w} <= {qw} AND {e} >= {qe})" for w, e in _RANGES) for qw, qe in asked]
            return f"(south <= :qs AND north >= :qn AND {' AND '.join(f'({one})' for one in all_of)})"


def preselect_sql(box: BBox, relation: Relation) -> str:
    """Ids of the boxes that the index cannot rule out."""
    slack = _FLOAT32_SLACK_DEG
    conditions = {
        Relation.OVERLAPS: "west <= :qe{i} AND east >= :qw{i} AND south <= :qn AND north >= :qs",
        Relation.WITHIN: f"west >= :qw{{i}} - {slack} AND east <= :qe{{i}} + {slack} "
        f"AND south >= :qs - {slack} AND north <= :qn + {slack}",
        Relation.CONTAINS: "west <= :qw{i} AND east >= :qe{i} AND south <= :qs AND north >= :qn",
    }
    parts = range(len(box.parts()))
    return " UNION ".join(f"SELECT id / 2 FROM box_index WHERE {conditions[relation].format(i=i)}" for i in parts)


def ratio_sql(box: BBox) -> str:
    """Shared area over the area of both together, as model.bbox.overlap_ratio."""
    parts = range(len(box.parts()))
    widths = " + ".join(f"max(0, min({e}, :qe{i}) - max({w}, :qw{i}))" for w, e in _RANGES for i in parts)
    shared = f"(({widths}) * max(0, min(north, :qn) - max(south, :qs)))"
    whole = f"({_AREA} + :qarea - {shared})"
    is_equal = " AND ".join(f"{column} = :{value}" for column, value in _COLUMNS.items())
    return f"(CASE WHEN {whole} > 0 THEN {shared} / {whole} WHEN {is_equal} THEN 1.0 ELSE 0.0 END)"


def stands(box: BBox, relation: Relation, asked: BBox) -> bool:
    """The same question for one box in Python."""
    match relation:
        case Relation.OVERLAPS:
            return overlaps(box, asked)
        case Relation.WITHIN:
            return is_within(box, asked)
        case Relation.CONTAINS:
            return is_within(asked, box)
