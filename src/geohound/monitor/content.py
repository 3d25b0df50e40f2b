"""What the answer to a request for a layer is worth: does a map show anything, do features lie where they should?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from geohound.data_files import tiff
from geohound.document import Document, safe_xml
from geohound.document.refusals import judge
from geohound.model.bbox import BBox
from geohound.model.failure import BUSY_STATUSES
from geohound.model.health import reason_of
from geohound.model.layer_request import LayerRequest, Picture, Rel, TileTemplate
from geohound.model.service import Refusal, RefusalReason
from geohound.model.visit import Failure, Response, Visit

from .images import judge_image

_PICTURES: Final = frozenset({Rel.MAP, Rel.TILE})
# of ArcGIS, which sends them with status 200
_LOGIN_CODES: Final = frozenset({401, 403, 498, 499})
_MAX_POINTS: Final = 2_000
_MARGIN_DEG: Final = 1.0
_COVERAGES: Final = (
    b"II*\0",
    b"MM\0*",
    b"II+\0",
    b"MM\0+",
    b"CDF",
    b"\x89HDF",
    b"\x89PNG",
    b"\xff\xd8",
    b"--",
)


def fault_of(request: LayerRequest, visit: Visit, declared: BBox | None) -> str:
    """Why the answer is not what was asked for, beginning with a word of ours; empty where it is."""
    if isinstance(visit, Failure):
        return f"{visit.reason}: {visit.detail}" if visit.detail else str(visit.reason)
    if visit.status in BUSY_STATUSES:
        reason = BUSY_STATUSES[visit.status]
        return f"{reason}: HTTP {visit.status}"
    document = Document(visit)
    refusal = _refusal(request, document, visit, declared)
    return reason_of(refusal) if refusal else ""


def _refusal(
    request: LayerRequest, document: Document, answer: Response, declared: BBox | None
) -> Refusal | None:
    is_vector = isinstance(request, TileTemplate) and request.is_vector
    if (
        answer.status < 400
        and document.is_image
        and request.rel in _PICTURES
        and not is_vector
    ):
        size_px = request.size_px if isinstance(request, Picture) else None
        return judge_image(document.body, size_px)
    general = judge(document)
    if _is_telling(general, answer):
        return general
    error = _json_error(document.json)
    if error is not None:
        return error
    if request.rel in _PICTURES and not is_vector:
        return _no_picture(document, general)
    if request.rel is Rel.RECORDS and document.root_name:
        return None  # a feed, or the records of a catalogue: errors were seen above, and nothing found is an answer
    if request.rel in (Rel.FEATURES, Rel.RECORDS):
        return _judge_features(
            document, general, declared if request.rel is Rel.FEATURES else None
        )
    if request.rel is Rel.COVERAGE:
        return _judge_coverage(document, answer)
    return (
        general
        if general.reason is RefusalReason.MALFORMED and not answer.truncated
        else None
    )


def _judge_coverage(document: Document, answer: Response) -> Refusal | None:
    body = document.body
    if not body.startswith(_COVERAGES):
        is_data = document.json is not None
        return None if is_data else Refusal(RefusalReason.OTHER_KIND, "no coverage")
    if answer.truncated:  # by us, who wanted no more of it
        return None
    if tiff.is_tiff(body) and tiff.is_cut_off(body):
        return Refusal(RefusalReason.TRUNCATED, "a TIFF that breaks off")
    boundary = body.partition(b"\n")[0].strip()
    if body.startswith(b"--") and not body.rstrip().endswith(boundary + b"--"):
        return Refusal(RefusalReason.TRUNCATED, "parts of which the last breaks off")
    return None


def _is_telling(general: Refusal, answer: Response) -> bool:
    """Does the answer say by itself that it is not what was asked for, whatever that was?"""
    always = {
        RefusalReason.LOGIN_WALL, RefusalReason.BOT_WALL, RefusalReason.EXCEPTION_REPORT, RefusalReason.NOT_FOUND,
        RefusalReason.SERVER_ERROR, RefusalReason.NO_CONTENT, RefusalReason.HTML_PAGE,
    }  # fmt: skip
    is_empty_tile = answer.status == 204
    return not is_empty_tile and (general.reason in always or answer.status >= 400)


def _no_picture(document: Document, general: Refusal) -> Refusal:
    if general.reason is RefusalReason.MALFORMED or not document.body:
        return general
    return Refusal(RefusalReason.OTHER_KIND, f"no picture: {general.detail}"[:200])


def _json_error(value: Any) -> Refusal | None:
    """ArcGIS and others send errors as JSON with status 200."""
    error = value.get("error") if isinstance(value, dict) else None
    if not isinstance(error, dict):
        return None
    code, said = error.get("code"), str(error.get("message", ""))[:200]
    if code in _LOGIN_CODES:
        return Refusal(RefusalReason.LOGIN_WALL, f"{code} {said}".strip())
    return Refusal(RefusalReason.EXCEPTION_REPORT, f"{code or ''} {said}".strip())


def _judge_features(
    document: Document, general: Refusal, declared: BBox | None
) -> Refusal | None:
    if document.root_name:
        return _judge_gml(document)
    value = document.json
    if not isinstance(value, dict):
        is_cut = general.reason is RefusalReason.MALFORMED
        return (
            Refusal(RefusalReason.TRUNCATED, "JSON that breaks off")
            if is_cut
            else general
        )
    features = value.get("features")
    if not isinstance(features, list):
        return Refusal(RefusalReason.OTHER_KIND, "JSON without features")
    if not features:
        return Refusal(RefusalReason.NO_CONTENT, "no features")
    points = [
        point
        for feature in features[:10]
        if isinstance(feature, dict)
        for point in _points(feature)
    ]
    return _misplaced(points, declared) if declared is not None else None


def _judge_gml(document: Document) -> Refusal | None:
    head = document.head
    if document.root_name != "FeatureCollection" or head is None:
        return Refusal(RefusalReason.OTHER_KIND, f"XML: {document.root_name}")
    members = ("member", "featureMember", "featureMembers")
    has_members = any(safe_xml.local(each) in members for each in islice(head, 50))
    return None if has_members else Refusal(RefusalReason.NO_CONTENT, "no features")


def _points(feature: dict[str, Any]) -> Iterator[tuple[float, float]]:
    geometry = feature.get("geometry")
    coordinates = geometry.get("coordinates") if isinstance(geometry, dict) else None
    return islice(_flat(coordinates, 0), _MAX_POINTS)


def _flat(value: Any, depth: int) -> Iterator[tuple[float, float]]:
    if not isinstance(value, list) or depth > 6:
        return
    if len(value) >= 2 and all(isinstance(each, int | float) for each in value[:2]):
        yield float(value[0]), float(value[1])
        return
    for each in value:
        yield from _flat(each, depth + 1)


def _misplaced(points: list[tuple[float, float]], declared: BBox) -> Refusal | None:
    """Features far from the box of their layer are in another projection than the answer says, or in another order."""
    if not points:
        return None
    if any(abs(x) > 360.0 or abs(y) > 360.0 for x, y in points):
        return Refusal(
            RefusalReason.WRONG_PROJECTION,
            "coordinates in metres where degrees are meant",
        )
    if any(_is_within(x, y, declared) for x, y in points):
        return None
    is_swapped = any(_is_within(y, x, declared) for x, y in points)
    said = (
        "latitude and longitude are swapped"
        if is_swapped
        else "features lie outside the box of their layer"
    )
    return Refusal(RefusalReason.WRONG_PROJECTION, said)


def _is_within(x: float, y: float, box: BBox) -> bool:
    margin = max(_MARGIN_DEG, 0.1 * max(box.width, box.height))
    for part in box.parts():
        if (
            part.west - margin <= x <= part.east + margin
            and part.south - margin <= y <= part.north + margin
        ):
            return True
    return False
