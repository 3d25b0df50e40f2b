"""Catalogue Service for the Web: page through GetRecords and take the addresses its records name."""

from __future__ import annotations

from collections.abc import AsyncIterator

from lxml import etree

from geohound import safe_xml, urls
from geohound.contracts import Fetcher
from geohound.document import Document
from geohound.model.visit import Candidate, Response, Via

PAGE = 50
MAX_PAGES = 200
_VERSIONS = ("2.0.2", "3.0.0")


class Csw:
    id = "csw"
    title = "Catalogue Service for the Web"

    def accepts(self, url: str) -> bool:
        return urls.params_lower(url).get("service", "").lower() == "csw" or url.partition("?")[0].endswith("/csw")

    async def harvest(self, url: str, fetcher: Fetcher) -> AsyncIterator[Candidate]:
        """Every address in every record; sorted, so that paging does not hand out records twice."""
        for version in _VERSIONS:
            position, pages = 1, 0
            while position and pages < MAX_PAGES:
                answer = await fetcher.fetch(_request(url, version, position))
                document = Document(answer) if isinstance(answer, Response) else None
                if document is None or document.root_name != "GetRecordsResponse" or document.root is None:
                    break
                for address in _addresses(document.root):
                    yield Candidate(address, Via.HARVEST, found_on=url, clue="catalogue record")
                position, pages = _next_position(document.root, position), pages + 1
            if pages:
                return


def _request(url: str, version: str, position: int) -> str:
    return urls.with_params(
        urls.endpoint(url),
        {
            "service": "CSW",
            "version": version,
            "request": "GetRecords",
            "typeNames": "csw:Record",
            "elementSetName": "full",
            "resultType": "results",
            "maxRecords": str(PAGE),
            "startPosition": str(position),
        },
    )


def _addresses(root: etree._Element) -> list[str]:
    found = []
    for element in root.iter():
        for value in (element.text, element.get("{http://www.w3.org/1999/xlink}href")):
            word = str(value or "").strip()
            if word[:7].lower() == "http://" or word[:8].lower() == "https://":
                clean = urls.canonical(word)
                if clean:
                    found.append(clean)
    return list(dict.fromkeys(found))


def _next_position(root: etree._Element, position: int) -> int:
    results = safe_xml.child(root, "SearchResults")
    try:
        following = int(safe_xml.attribute(results, "nextRecord") or 0)
        total = int(safe_xml.attribute(results, "numberOfRecordsMatched") or 0)
    except ValueError:
        return 0
    # Servers end with nextRecord 0, or past the total, or never: only forward counts.
    return following if position < following <= total else 0


HARVESTERS = (Csw(),)
