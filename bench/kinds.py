"""How well and how fast real documents are read: Geohound, OWSLib and bare lxml, taking turns in one run.

The documents and their labels are no part of the repository; `--corpus` says where they are.
"""

from __future__ import annotations

import argparse
import csv
import gc
import json
import logging
import statistics
import sys
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

from lxml import etree
from owslib.catalogue import csw2, csw3
from owslib.sos import SensorObservationService
from owslib.wcs import WebCoverageService
from owslib.wfs import WebFeatureService
from owslib.wms import WebMapService
from owslib.wmts import WebMapTileService
from owslib.wps import WebProcessingService

from geohound import plugins
from geohound.document import Document
from geohound.model.service import Service
from geohound.model.visit import Response

HERE = Path(__file__).resolve().parent
URL = "http://service.test/ows"
NOW = datetime(2024, 1, 1, tzinfo=UTC)
OWS = frozenset({"wms", "wfs", "wcs", "wmts", "wps", "csw", "sos", "sps", "other-ows"})
# A label stands for one or several of our kinds; a WCPS is read beside the WCS it lives in.
IDS = {
    "kml-networklink": ("kml",),
    "other-ows": ("ows",),
    "stac": ("stac", "stac-api"),
    "wcs": ("wcs", "wcps"),
}
PREFIXES = {"arcgis": "arcgis-", "ogcapi": "ogcapi-"}


@dataclass(frozen=True)
class Sample:
    """One document and what its label says."""

    file: str
    kind: str
    version: str
    is_wellformed: bool
    count: int
    title: str
    body: bytes


def load(corpus: Path) -> list[Sample]:
    with (corpus / "labels.csv").open(encoding="utf-8", newline="") as lines:
        return [
            Sample(
                row["file"],
                row["kind"],
                row["version"],
                row["wellformed"] == "1",
                int(row["n_layers_or_equivalent"] or 0),
                " ".join(row["title"].split()),
                (corpus / "docs" / row["file"]).read_bytes(),
            )
            for row in csv.DictReader(lines)
        ]


def read_by_all(body: bytes) -> list[Service]:
    """What every kind of Geohound makes of a document."""
    # As `geohound identify FILE` reads it: a saved answer has no web address to lean on.
    address = "file:///saved/answer"
    document = Document(Response(address, address, 200, {}, body, NOW))
    answers = (kind.read(document) for kind in plugins.discover("kinds").values())
    return [answer for answer in answers if isinstance(answer, Service)]


def is_right(kind: str, found: str) -> bool:
    if kind in PREFIXES:
        return found.startswith(PREFIXES[kind])
    return found in IDS.get(kind, (kind,))


def measure_recognition(samples: Iterable[Sample]) -> dict[str, Any]:
    """Shares of right kinds and versions, false positives, agreement of titles and counts."""
    tallies: dict[str, Counter[str]] = defaultdict(Counter)
    wrong: list[dict[str, object]] = []
    for sample in samples:
        found = read_by_all(sample.body)
        kinds = [s.kind for s in found]
        if sample.kind == "negative":
            tallies["negative"]["documents"] += 1
            if found:
                tallies["negative"]["false positives"] += 1
                wrong.append(
                    {
                        "file": sample.file,
                        "label": f"negative {sample.version}",
                        "read as": kinds,
                    }
                )
            continue
        own = [s for s in found if is_right(sample.kind, s.kind)]
        fault = judge(sample, own, kinds)
        if fault:
            wrong.append(
                {
                    "file": sample.file,
                    "label": sample.kind,
                    "fault": fault,
                    "read as": kinds,
                }
            )
        for name in (sample.kind, group_of(sample)):
            count(tallies[name], sample, own[0] if own else None, fault)
    return {
        "by label": {k: dict(v) for k, v in sorted(tallies.items())},
        "wrong": wrong,
    }


def group_of(sample: Sample) -> str:
    family = "OWS" if sample.kind in OWS else "other kinds"
    return f"{family}, {'well-formed' if sample.is_wellformed else 'broken'}"


def judge(sample: Sample, own: list[Service], kinds: list[str]) -> str:
    if not own:
        return "not read"
    if len(own) < len(kinds):
        return "read as another kind too"
    if sample.kind in OWS and own[0].version != sample.version:
        return f"version {own[0].version} instead of {sample.version}"
    return ""


def count(
    tally: Counter[str], sample: Sample, service: Service | None, fault: str
) -> None:
    tally["documents"] += 1
    tally["right kind and version"] += not fault
    if service is not None:
        tally["same title"] += service.title == sample.title
        offered = service.operations if sample.kind == "csw" else service.layers
        tally["same count"] += len(offered) == sample.count


def read_by_owslib(kind: str, version: str, body: bytes) -> tuple[str, list[str]]:
    """Title and layer names as OWSLib reads them; whatever it raises is its answer."""

    if kind == "csw":
        base = (csw3 if version.startswith("3") else csw2).CatalogueServiceWeb

        class Local(base):  # type: ignore[misc,valid-type]
            def _invoke(self) -> None:
                self._exml = etree.parse(BytesIO(body))

        service = Local(URL, version=version)
        return service.identification.title or "", []
    if kind == "wps":
        service = WebProcessingService(URL, version=version, skip_caps=True)
        service.getcapabilities(xml=body)
        return service.identification.title or "", [
            p.identifier for p in service.processes
        ]
    makers: dict[str, Callable[..., Any]] = {
        "wms": WebMapService,
        "wfs": WebFeatureService,
        "wcs": WebCoverageService,
        "wmts": WebMapTileService,
        "sos": SensorObservationService,
    }
    service = makers[kind](URL, version=version, xml=body)
    return service.identification.title or "", list(service.contents)


def read_by_geohound(kind: str, body: bytes) -> Service | None:
    found = plugins.discover("kinds")[kind].read(
        Document(Response(URL, URL, 200, {}, body, NOW))
    )
    return found if isinstance(found, Service) else None


def compare_with_owslib(
    samples: Iterable[Sample],
) -> tuple[dict[str, Any], list[Sample]]:
    """Who reads what, where both differ, and the documents that both read."""
    shares: dict[str, Counter[str]] = defaultdict(Counter)
    differences: list[dict[str, object]] = []
    both: list[Sample] = []
    for sample in samples:
        ours = read_by_geohound(sample.kind, sample.body)
        shares[sample.kind]["documents"] += 1
        shares[sample.kind]["Geohound"] += ours is not None
        try:
            title, names = read_by_owslib(sample.kind, sample.version, sample.body)
        except Exception as error:  # OWSLib raises whatever its parsing stumbles over
            shares[sample.kind][f"OWSLib raised {type(error).__name__}"] += 1
            continue
        shares[sample.kind]["OWSLib"] += 1
        if ours is None:
            differences.append(
                {"file": sample.file, "kind": sample.kind, "only": "OWSLib"}
            )
            continue
        both.append(sample)
        differences += differ(sample, ours, " ".join(title.split()), names)
    return {
        "shares": {k: dict(v) for k, v in shares.items()},
        "differences": differences,
    }, both


def differ(
    sample: Sample, ours: Service, title: str, names: list[str]
) -> list[dict[str, object]]:
    """Where both differ; the words themselves go to the screen, for the documents are not ours to copy."""
    found: list[dict[str, object]] = []
    if ours.title != title:
        print(f"{sample.file}: title {ours.title[:100]!r}, by OWSLib {title[:100]!r}")
        found.append({"file": sample.file, "kind": sample.kind, "differs": "title"})
    mine = {layer.name for layer in ours.layers}
    theirs = {" ".join(str(n).split()) for n in names}
    if sample.kind != "csw" and mine != theirs:
        print(
            f"{sample.file}: layers {sorted(mine - theirs)[:3]}, by OWSLib {sorted(theirs - mine)[:3]}"
        )
        only = {"only Geohound": len(mine - theirs), "only OWSLib": len(theirs - mine)}
        found.append(
            {"file": sample.file, "kind": sample.kind, "differs": "layers", **only}
        )
    return found


def measure_time(samples: list[Sample], rounds: int) -> dict[str, Any]:
    """CPU seconds for all documents, the three readers taking turns; ratios of every round.

    Each reads all documents by itself, as a crawl does: the allocator tidies up a freed tree when the next one is
    made, and with readers alternating on each document each would pay for the tree of the one before it.
    """
    readers: dict[str, Callable[[Sample], object]] = {
        "lxml": lambda s: etree.fromstring(s.body),
        "Geohound": lambda s: read_by_geohound(s.kind, s.body),
        "OWSLib": lambda s: read_by_owslib(s.kind, s.version, s.body),
    }
    totals: list[dict[str, float]] = []
    best: dict[str, list[float]] = {
        name: [float("inf")] * len(samples) for name in readers
    }
    gc.disable()  # as timeit does: nobody pays for what another left behind
    for _ in range(rounds):
        total = dict.fromkeys(readers, 0.0)
        for name, read in readers.items():
            gc.collect()
            for place, sample in enumerate(samples):
                start = time.thread_time()
                read(sample)
                took = time.thread_time() - start
                total[name] += took
                best[name][place] = min(best[name][place], took)
        totals.append(total)
    gc.enable()
    return {
        "documents": len(samples),
        "bytes": sum(len(s.body) for s in samples),
        "best of all rounds, CPU s": {
            name: round(sum(values), 4) for name, values in best.items()
        },
        "Geohound / lxml": spread(
            [t["Geohound"] / t["lxml"] for t in totals], best, "Geohound", "lxml"
        ),
        "OWSLib / Geohound": spread(
            [t["OWSLib"] / t["Geohound"] for t in totals], best, "OWSLib", "Geohound"
        ),
    }


def spread(
    rounds: list[float], best: dict[str, list[float]], upper: str, lower: str
) -> dict[str, float]:
    each = [u / max(v, 1e-9) for u, v in zip(best[upper], best[lower], strict=True)]
    return {
        "of totals, best of rounds": round(sum(best[upper]) / sum(best[lower]), 2),
        "of totals, lowest round": round(min(rounds), 2),
        "of totals, median round": round(statistics.median(rounds), 2),
        "of totals, highest round": round(max(rounds), 2),
        "per document, median": round(statistics.median(each), 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--corpus", type=Path, default=HERE.parent.parent / "shared" / "corpus"
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path, default=HERE / "results" / "kinds.json")
    options = parser.parse_args()
    if not (options.corpus / "labels.csv").is_file():
        print(
            f"There are no labelled documents in {options.corpus}; nothing was measured."
        )
        return
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    samples = load(options.corpus)
    recognition = measure_recognition(samples)
    comparison, both = compare_with_owslib(
        s for s in samples if s.kind in OWS - {"sps", "other-ows"}
    )
    timed = [s for s in both if s.is_wellformed and is_plain(s.body)]
    result = {
        "command": "python bench/kinds.py --rounds " + str(options.rounds),
        "python": sys.version.split()[0],
        "recognition": recognition,
        "against OWSLib": comparison,
        "time": measure_time(timed, options.rounds),
    }
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(
        json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    tell(result)


def is_plain(body: bytes) -> bool:
    """True if bare lxml parses it as it is, so that all three can be timed on the same bytes."""
    try:
        etree.fromstring(body)
    except (etree.XMLSyntaxError, ValueError):
        return False
    return True


def tell(result: dict[str, Any]) -> None:
    for label, tally in result["recognition"]["by label"].items():
        print(f"{label:28} {tally}")
    for fault in result["recognition"]["wrong"]:
        print("  wrong:", fault)
    for kind, shares in result["against OWSLib"]["shares"].items():
        print(f"{kind:6} {shares}")
    print(
        f"differences from OWSLib: {len(result['against OWSLib']['differences'])} (listed in the results)"
    )
    print(json.dumps(result["time"], indent=1))


if __name__ == "__main__":
    main()
