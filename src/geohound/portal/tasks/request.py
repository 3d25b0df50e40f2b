"""What somebody asks for who starts a crawl in the portal or by its API, checked and turned into a task."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from geohound import urls
from geohound.agent.queries import planned_queries, with_other_names, words_of
from geohound.model.bbox import BBox
from geohound.model.crawl.task import Budget, CrawlGoal, MonitorGoal, TaskKind, TaskSpec
from geohound.model.topic import Topic
from geohound.tasks.spec import hunt_spec
from geohound.views.parsing import (
    ParameterError,
    check_choice,
    read_box,
    shorten,
    split_ids,
)

from .mistakes import explained, mistaken

MAX_SEEDS = 10_000
MAX_URL_CHARS = 2_000
MAX_KEYWORDS = 50
MAX_KEYWORD_CHARS = 200
HUNT_DEPTH, HUNT_WIDTH = (
    2,
    8,
)  # "a depth of 2 is most effective", "a crawling width of eight" (PH-14)
_WEB_ADDRESS = "^https?://"  # the URL standard has more to say than a pattern can
_EXAMPLE = {
    "seeds": ["https://example.org/maps"],
    "depth": 3,
    "kinds": ["wms"],
    "bbox": [-75, -34, -34, 6],
}
NO_SEARCHER = (
    "No search provider is set up on this portal: the operator names one in web_searchers, such as "
    "searxng=https://searx.example.org. Give seed URLs in seeds instead."
)
_WHOLE = re.compile(r"[0-9]{1,9}")
Degrees = Annotated[float, Meta(ge=-180, le=180)]
Latitude = Annotated[float, Meta(ge=-90, le=90)]


Address = Annotated[
    str,
    Meta(pattern=_WEB_ADDRESS, max_length=MAX_URL_CHARS, description="a web address"),
]


Keyword = Annotated[str, Meta(min_length=1, max_length=MAX_KEYWORD_CHARS)]


class TaskRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A hunt, a crawl or a harvest: where it begins, how far it goes, what it keeps and may cost; or a monitor."""

    kind: (
        Annotated[
            Literal["monitor"],
            Meta(
                description="look again at the services of the catalogue, until stopped; needs no other field"
            ),
        ]
        | None
    ) = None
    once: Annotated[
        bool, Meta(description="of a monitor: check what is due now, and end")
    ] = False
    deep: Annotated[
        bool, Meta(description="of a monitor: ask for maps and features too")
    ] = False
    keywords: Annotated[
        list[Keyword],
        Meta(
            max_length=MAX_KEYWORDS,
            description="words to ask search providers for; a hunt",
        ),
    ] = []
    seeds: Annotated[
        list[Address], Meta(max_length=MAX_SEEDS, description="where a crawl starts")
    ] = []
    harvest: Annotated[
        list[Address],
        Meta(
            max_length=MAX_SEEDS,
            description="catalogues to read whole, instead of seeds",
        ),
    ] = []
    depth: (
        Annotated[
            int,
            Meta(
                ge=0, le=1_000, description="links away from a seed that a page may be"
            ),
        ]
        | None
    ) = None
    width: (
        Annotated[
            int,
            Meta(ge=1, le=1_000_000, description="segments of ten seeds to take up"),
        ]
        | None
    ) = None
    kinds: (
        Annotated[
            list[str],
            Meta(max_length=100, description="keep only these kinds of service"),
        ]
        | None
    ) = None
    bbox: (
        Annotated[
            tuple[Degrees, Latitude, Degrees, Latitude],
            Meta(
                description="west, south, east, north in degrees; keep only services that touch this box"
            ),
        ]
        | None
    ) = None
    topic: (
        Annotated[str, Meta(description="keep only services of this topic")] | None
    ) = None
    order: Annotated[str, Meta(description="which link next")] | None = None
    thrift: (
        Annotated[
            float,
            Meta(
                ge=0,
                le=1,
                description="0: ask every host that is due; 1: only the five best hosts",
            ),
        ]
        | Literal["auto"]
        | None
    ) = None
    max_pages: (
        Annotated[int, Meta(ge=1, le=1_000_000_000, description="pages to try in all")]
        | None
    ) = None
    max_queries: (
        Annotated[
            int,
            Meta(
                ge=1,
                le=1_000_000_000,
                description="of a hunt: requests to search providers in all",
            ),
        ]
        | None
    ) = None
    max_time_s: (
        Annotated[
            float,
            Meta(
                ge=0,
                le=1_000_000_000,
                description="seconds that a run may take, waiting for hosts included; 0: no limit",
            ),
        ]
        | None
    ) = None


@dataclass(frozen=True, slots=True)
class Choices:
    """What a crawl can be asked for here."""

    kinds: Collection[str] = ()
    orders: Collection[str] = ()
    topics: Mapping[str, Topic] = field(default_factory=dict)
    searchers: Sequence[str] = ()  # that are set up here, as id or id=address


def read_request(body: bytes, choices: Choices) -> TaskSpec:
    """The task that a JSON document asks for; ParameterError says what is wrong with it."""
    try:
        sent = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        raise ParameterError("", "This is not valid JSON.") from None
    if not isinstance(sent, dict):
        raise ParameterError(
            "", 'Send a JSON object, such as {"seeds": ["https://example.org/maps"]}.'
        )
    given = {name: _split(name, value) for name, value in sent.items()}
    return task_spec(given, choices)


WAYS = ("keywords", "seeds", "harvest")  # where a task begins


def from_form(fields: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """The same from the fields of a form: what was left empty says nothing, and https:// need not be typed."""
    filled = {
        name: values[-1].strip()
        for name, values in fields.items()
        if values[-1].strip()
    }
    way = filled.get("how")
    filled = {
        name: text
        for name, text in filled.items()
        if way not in WAYS or name == way or name not in WAYS
    }
    chosen = {
        name: text
        for name, text in filled.items()
        if name in ("bbox", "order", "topic")
    }
    given: dict[str, Any] = {name: _split(name, text) for name, text in chosen.items()}
    for name in ("seeds", "harvest"):
        lines = [line.strip() for line in filled.get(name, "").splitlines()]
        given[name] = [
            line if "://" in line else f"https://{line}" for line in lines if line
        ]
    if "keywords" in filled:
        given["keywords"] = [filled["keywords"]]
    if "thrift" in filled:
        given["thrift"] = _read_thrift(filled["thrift"])
    if "kinds" in fields:
        given["kinds"] = list(fields["kinds"])
    for name in ("depth", "width", "max_pages"):
        if name in filled:
            given[name] = _read_whole(name, filled[name])
    if "queries" in filled and way in ("keywords", None):
        given["max_queries"] = _read_whole("max_queries", filled["queries"])
    if "minutes" in filled:
        given["max_time_s"] = _read_minutes(filled["minutes"])
    return given


def form_of(spec: TaskSpec) -> dict[str, Sequence[str]]:
    """What somebody would have typed to ask for this task."""
    goal, budget = spec.goal, spec.budget
    begins = "harvest" if spec.kind is TaskKind.HARVEST else "seeds"
    said = {
        "how": "keywords" if goal.words else begins,
        "keywords": goal.words,
        begins: "\n".join(goal.seeds),
        "depth": ""
        if goal.max_depth is None or begins == "harvest"
        else str(goal.max_depth),
        "width": str(goal.max_width or ""),
        "max_pages": str(budget.max_pages or ""),
        "queries": str(budget.max_queries or ""),
        "minutes": str(int(budget.max_time_s // 60)) if budget.max_time_s else "",
        "bbox": ",".join(f"{side:g}" for side in goal.bbox) if goal.bbox else "",
        "topic": goal.topic,
        "order": goal.order or "",
        "thrift": goal.thrift or "",
    }
    return {**{name: (text,) for name, text in said.items()}, "kinds": goal.kinds}


def _read_thrift(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _read_whole(name: str, text: str) -> int:
    if not _WHOLE.fullmatch(text):
        raise mistaken(name, text, TaskRequest)
    return int(text)


def _read_minutes(text: str) -> int:
    if not _WHOLE.fullmatch(text):
        sentence = f"The time limit must be whole minutes, not “{shorten(text)}”."
        raise ParameterError("minutes", sentence)
    return 60 * int(text)


def _split(name: str, value: Any) -> Any:
    """Lists may also be written as on the command line: wms,wfs and -75,-34,-34,6. 3.0 is a whole number."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if name == "keywords" and isinstance(value, str):
        return [value]
    if name == "kinds" and isinstance(value, str):
        return split_ids([value]) or [value]
    if name == "bbox" and isinstance(value, str):
        box = read_box(value)
        return list(box.as_tuple()) if box else [value]
    return value


def task_spec(given: Mapping[str, Any], choices: Choices) -> TaskSpec:
    """The task that these values ask for."""
    try:
        asked = msgspec.convert(given, TaskRequest)
    except msgspec.ValidationError as error:
        raise explained(error, given, TaskRequest) from None
    if asked.kind == "monitor":
        return _monitor(asked)
    _check_beginning(asked, choices)
    kind = TaskKind.HARVEST if asked.harvest else TaskKind.CRAWL
    budget = Budget(
        max_pages=asked.max_pages,
        max_time_s=asked.max_time_s,
        max_queries=asked.max_queries,
    )
    spec = TaskSpec(_goal(asked, choices), budget, kind=kind)
    return _hunt(asked, spec, choices) if asked.keywords else spec


def _monitor(asked: TaskRequest) -> TaskSpec:
    watch = MonitorGoal(once=asked.once, deep=asked.deep)
    if asked != TaskRequest(kind="monitor", once=asked.once, deep=asked.deep):
        raise ParameterError(
            "kind",
            "A monitor looks at the services of the catalogue: send only kind, once and deep.",
        )
    return TaskSpec(kind=TaskKind.MONITOR, watch=watch)


def _check_beginning(asked: TaskRequest, choices: Choices) -> None:
    """A task has somewhere to begin, and is of one kind."""
    if asked.max_queries is not None and not asked.keywords:
        raise ParameterError(
            "max_queries", "max_queries is for hunts: give keywords too."
        )
    if asked.once or asked.deep:
        raise ParameterError(
            "kind",
            'once and deep are for monitors: send {"kind": "monitor"} with them.',
        )
    if not (asked.keywords or asked.seeds or asked.harvest):
        raise ParameterError(
            "seeds",
            "Give keywords, at least one seed URL in seeds, or a catalogue URL in harvest.",
        )
    if asked.harvest and (asked.seeds or asked.keywords):
        raise ParameterError(
            "harvest",
            "A task has either keywords and seeds, or harvest; send two requests.",
        )
    if asked.keywords and not choices.searchers:
        raise ParameterError("keywords", NO_SEARCHER)


def _goal(asked: TaskRequest, choices: Choices) -> CrawlGoal:
    thrift = None if asked.thrift is None else str(asked.thrift)
    return CrawlGoal(
        seeds=tuple(
            dict.fromkeys(_read_address(text) for text in asked.seeds or asked.harvest)
        ),
        kinds=tuple(
            dict.fromkeys(
                _chosen("kinds", kind, choices.kinds) for kind in asked.kinds or ()
            )
        ),
        bbox=_read_box(asked.bbox),
        topic=_chosen("topic", asked.topic, choices.topics) if asked.topic else "",
        order=_chosen("order", asked.order, choices.orders) if asked.order else None,
        max_depth=0 if asked.harvest else asked.depth,
        max_width=asked.width,
        thrift=thrift,
    )


def _hunt(asked: TaskRequest, crawl: TaskSpec, choices: Choices) -> TaskSpec:
    """The same, begun by what search providers answer; depth and width as published where nobody says otherwise."""
    words = " ".join(" ".join(asked.keywords).split())
    about = words_of(choices.topics[crawl.goal.topic]) if crawl.goal.topic else []
    depth = HUNT_DEPTH if asked.depth is None else asked.depth
    width = HUNT_WIDTH if asked.width is None else asked.width
    goal = replace(crawl.goal, max_depth=depth, max_width=width)
    queries = tuple(with_other_names(planned_queries(words, about), words))
    return hunt_spec(
        replace(crawl, goal=goal), queries, tuple(choices.searchers), words=words
    )


def request_schema(choices: Choices) -> dict[str, Any]:
    """The JSON schema of a request, with what can be chosen here."""
    (_, components) = msgspec.json.schema_components(
        [TaskRequest], ref_template="{name}"
    )
    schema: dict[str, Any] = components["TaskRequest"]
    fields = schema["properties"]
    _option(fields["kinds"])["items"]["enum"] = sorted(choices.kinds)
    _option(fields["order"])["enum"] = sorted(choices.orders)
    _option(fields["topic"])["enum"] = sorted(choices.topics)
    return {**schema, "examples": [_EXAMPLE]}


def _option(schema: dict[str, Any]) -> dict[str, Any]:
    """Of a field that may be left out: what it is where it is given."""
    return next(each for each in schema["anyOf"] if each.get("type") != "null")


def _read_address(text: str) -> str:
    clean = urls.canonical(text)
    if clean is None:
        raise ParameterError("seeds", f"“{shorten(text)}” is not a web address.")
    return clean


def _chosen(name: str, value: str, known: Collection[str]) -> str:
    check_choice(name, value, known)
    return next(each for each in known if each.casefold() == value.casefold())


def _read_box(
    sides: tuple[float, float, float, float] | None,
) -> tuple[float, float, float, float] | None:
    """A box with its north side first is put right: it is the same box."""
    if sides is None:
        return None
    west, south, east, north = sides
    return BBox(west, min(south, north), east, max(south, north)).as_tuple()
