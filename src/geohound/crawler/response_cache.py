"""Scripts and configuration files that pages share: each is fetched once, and kept while there is room."""

from __future__ import annotations

from collections import OrderedDict

from geohound.model.compact_sets import HashSet
from geohound.model.visit import Response

MAX_BYTES = 48_000_000
MAX_FILE_BYTES = 6_000_000
# answers that wait for their candidate; beyond that they are asked for again
MAX_SERVICES = 50
MAX_SERVICE_BYTES = 8_000_000
_KEPT_TYPES = (
    "javascript",
    "ecmascript",
    "json",
    "xml",
    "yaml",
    "text/plain",
    "octet-stream",
)


class ResponseCache:
    """Answers by address, the least used dropped first; what was had is known for good."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._room = max_bytes
        self._held = 0
        self._answers: OrderedDict[str, Response] = OrderedDict()
        self._had = HashSet()
        self._services: dict[str, Response] = {}
        self._services_held = 0

    def put(self, url: str, answer: Response) -> None:
        """Keep a file; pages are no files."""
        kind = answer.content_type.lower()
        if "html" in kind and answer.status < 400:
            return
        self._had.add(hash(url))
        size = len(answer.body)
        if (
            size > MAX_FILE_BYTES
            or url in self._answers
            or not any(word in kind for word in _KEPT_TYPES)
        ):
            return
        self._answers[url] = answer
        self._held += size
        while self._held > self._room:
            self._held -= len(self._answers.popitem(last=False)[1].body)

    def was_had(self, url: str) -> bool:
        return hash(url) in self._had

    def get(self, url: str) -> Response | None:
        if url in self._answers:
            self._answers.move_to_end(url)
        return self._answers.get(url)

    def put_service(self, url: str, answer: Response) -> None:
        """Keep an answer that will be asked for once more, as a candidate of its own."""
        size = len(answer.body)
        if (
            len(self._services) < MAX_SERVICES
            and self._services_held + size <= MAX_SERVICE_BYTES
        ):
            self._services[url] = answer
            self._services_held += size

    def take_service(self, url: str) -> Response | None:
        answer = self._services.pop(url, None)
        self._services_held -= len(answer.body) if answer else 0
        return answer
