"""Why no answer was had or a URL was dropped, and what each reason means for the crawl and for people: one table."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class FailureReason(StrEnum):
    """Why no answer was had, or why a URL was dropped; they become statistics."""

    DNS = "name not found"
    DNS_TIMEOUT = "name look-up time-out"
    REFUSED = "connection refused"
    UNREACHABLE = "no way to the address"
    RESET = "connection lost"
    TLS = "TLS"  # a handshake that failed for none of the next four
    TLS_EXPIRED = "certificate expired"  # or not valid yet
    TLS_NAME = "certificate of another name"
    TLS_CHAIN = "certificate of an unknown authority"  # or signed by itself
    TLS_LEGACY = "outdated TLS"  # version, key or cipher
    CONNECT_TIMEOUT = "connect time-out"
    FIRST_BYTE_TIMEOUT = "no first byte in time"
    STALLED = "too slow"
    TOTAL_TIMEOUT = "total time-out"
    TOO_LARGE = "too large"
    REDIRECT_LOOP = "redirect loop"
    TOO_MANY_REDIRECTS = "too many redirects"
    FORBIDDEN_NET = "forbidden net"
    BAD_URL = "bad URL"
    ROBOTS = "robots.txt"
    NOFOLLOW = "nofollow"
    RATE_LIMITED = "rate limited"
    UNAVAILABLE = "unavailable"
    BAD_ANSWER = "answer not understood"
    HTTP_ERROR = "HTTP error"
    EXCEPTION_REPORT = "exception report"
    HTML_PAGE = "HTML page instead of a service"
    OTHER_DOCUMENT = "document of another kind"
    EMPTY_ANSWER = "empty answer"
    MALFORMED = "malformed document"
    BLANK_IMAGE = "blank image"
    INCONCLUSIVE = "inconclusive test"
    OUT_OF_SCOPE = "out of scope"
    TOO_DEEP = "too deep"
    DEPTH_BUDGET = "depth budget spent"
    HOST_BUDGET = "host budget spent"
    DOMAIN_BUDGET = "domain budget spent"
    PATTERN_BUDGET = "pattern budget spent"
    HARVEST_BUDGET = "harvest budget spent"
    TRAP = "trap"
    MEDIA = "media or archive file"
    SINK = "social media or other sink"
    OTHER_KIND = "another kind of service"
    OTHER_AREA = "outside the box"
    OTHER_TOPIC = "another topic"
    DUPLICATE_CONTENT = "duplicate content"
    READ_LATELY = "read lately by another task"
    SOFT_404 = "soft 404"
    BOT_WALL = "bot wall"
    LOGIN_WALL = "log-in wall"
    PAGE_BUDGET = "page budget spent"
    ORDER = "left out by the order"
    UNCHANGED = "unchanged since the last visit"
    TAKEN = "taken by another crawler"
    NO_KEY = "key missing"
    BUG = "internal error"

    @property
    def means(self) -> FailureMeaning:
        """Its row of the table."""
        return MEANINGS[self]


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureMeaning:
    """One row of the table: what a reason says about the host, and what follows from it."""

    text: str  # a sentence for people
    advice: str = ""  # what they can do about it; empty where it passes by itself or is no trouble
    is_passing: bool = False  # temporary: retried later; all others are final
    is_outage: bool = False  # looks the same where our own network is lost
    is_strain: bool = False  # the host bears too much: it gets longer pauses
    is_answer: bool = False  # cannot be said unless somebody at the other end answered
    is_asked: bool = True  # a request was made, which spends a budget; where not, nobody at the host knows of it
    is_attempt: bool = True  # counts as one; where not, our own rate limit may have spoken before anything was sent
    is_host_gone: bool = False  # the host itself does not exist
    is_unreached: bool = False  # a seed that ends so was not reached: the command exits with 1, `resume` tries it again
    is_endless_redirect: bool = False
    is_rewordable: bool = False  # the server does not like the question: another spelling of it may fare better
    is_hindrance: bool = False  # somebody is there and does not let us in: it says nothing against a service there
    is_wall: bool = False  # it may as well be a log-in, or the script of a wall, beside what the page shows
    # overlooked where certificates need not be verified
    is_certificate_fault: bool = False
    is_legacy_tls: bool = False  # overlooked likewise


_SPELLING = "Check the address for spelling mistakes."
_SERVER = "Check the address and its port, and whether the server runs."
_TLS = "If you trust the host, the setting verify_tls = false reads it anyway."
_LATER = "Try again later."
_TIMEOUTS = (
    "Try again later, or give it more time with the settings that end in timeout_s."
)
_ROBOTS = "The site does not want robots there; ask its owner. For a host of your own: obey_robots = false."
_NETS = "Allow such addresses with --allow-net, ports with the setting allow_ports."
_BUG = "Please report it with what the log says (--log)."

MEANINGS: Final[dict[FailureReason, FailureMeaning]] = {
    FailureReason.DNS: FailureMeaning(
        text="The host's name does not exist.",
        advice=_SPELLING,
        is_outage=True,
        is_host_gone=True,
        is_unreached=True,
    ),
    FailureReason.DNS_TIMEOUT: FailureMeaning(
        text="No name server resolved the host's name in time.",
        advice=_LATER,
        is_passing=True,
        is_outage=True,
        is_unreached=True,
    ),
    FailureReason.REFUSED: FailureMeaning(
        text="Nothing listens at that address and port.",
        advice=_SERVER,
        is_outage=True,
        is_unreached=True,
    ),
    FailureReason.UNREACHABLE: FailureMeaning(
        text="There is no route to the host's address.",
        advice=_LATER,
        is_passing=True,
        is_outage=True,
        is_unreached=True,
    ),
    FailureReason.RESET: FailureMeaning(
        text="The connection closed before the response was complete.",
        advice=_LATER,
        is_passing=True,
        is_strain=True,
        is_unreached=True,
    ),
    FailureReason.TLS: FailureMeaning(
        text="The TLS handshake failed.",
        advice="Try the address with http:// instead of https://.",
        is_unreached=True,
        is_hindrance=True,
    ),
    FailureReason.TLS_EXPIRED: FailureMeaning(
        text="The host's certificate has expired, or is not valid yet.",
        advice=_TLS,
        is_unreached=True,
        is_certificate_fault=True,
        is_hindrance=True,
    ),
    FailureReason.TLS_NAME: FailureMeaning(
        text="The host's certificate is for another name.",
        advice=_TLS,
        is_unreached=True,
        is_certificate_fault=True,
        is_hindrance=True,
    ),
    FailureReason.TLS_CHAIN: FailureMeaning(
        text="The host's certificate is signed by itself or by an unknown authority.",
        advice=_TLS,
        is_unreached=True,
        is_certificate_fault=True,
        is_hindrance=True,
    ),
    FailureReason.TLS_LEGACY: FailureMeaning(
        text="The host offers only encryption that is no longer safe.",
        advice=_TLS,
        is_unreached=True,
        is_legacy_tls=True,
        is_hindrance=True,
    ),
    FailureReason.CONNECT_TIMEOUT: FailureMeaning(
        text="The host did not accept the connection in time.",
        advice=_TIMEOUTS,
        is_passing=True,
        is_outage=True,
        is_strain=True,
        is_unreached=True,
    ),
    FailureReason.FIRST_BYTE_TIMEOUT: FailureMeaning(
        text="The host accepted the connection but sent no response in time.",
        advice=_TIMEOUTS,
        is_passing=True,
        is_strain=True,
        is_unreached=True,
    ),
    FailureReason.STALLED: FailureMeaning(
        text="The response was too slow.",
        advice=_LATER,
        is_passing=True,
        is_strain=True,
        is_unreached=True,
    ),
    FailureReason.TOTAL_TIMEOUT: FailureMeaning(
        text="The response was not complete in time.",
        advice=_TIMEOUTS,
        is_passing=True,
        is_strain=True,
        is_unreached=True,
    ),
    FailureReason.TOO_LARGE: FailureMeaning(
        text="The response or its headers exceed the size limit."
    ),
    FailureReason.REDIRECT_LOOP: FailureMeaning(
        text="The URL redirects to itself.",
        is_answer=True,
        is_endless_redirect=True,
    ),
    FailureReason.TOO_MANY_REDIRECTS: FailureMeaning(
        text="The URL redirects too many times.",
        is_answer=True,
        is_endless_redirect=True,
    ),
    FailureReason.FORBIDDEN_NET: FailureMeaning(
        text="The address is private, its port is not allowed, or its scheme is not http or https.",
        advice=_NETS,
        is_asked=False,
        is_unreached=True,
    ),
    FailureReason.BAD_URL: FailureMeaning(
        text="This is not a valid URL.", advice=_SPELLING, is_asked=False
    ),
    FailureReason.ROBOTS: FailureMeaning(
        text="The site's robots.txt forbids it.",
        advice=_ROBOTS,
        is_answer=True,
        is_asked=False,
    ),
    FailureReason.NOFOLLOW: FailureMeaning(
        text="The page asks robots not to follow the link.", is_asked=False
    ),
    FailureReason.RATE_LIMITED: FailureMeaning(
        text="The host, its IP address or Geohound's own limits require a delay.",
        advice=_LATER,
        is_passing=True,
        is_strain=True,
        is_attempt=False,
        is_unreached=True,
        is_hindrance=True,
    ),
    FailureReason.UNAVAILABLE: FailureMeaning(
        text="The server is temporarily unavailable.",
        advice=_LATER,
        is_passing=True,
        is_strain=True,
        is_answer=True,
        is_unreached=True,
    ),
    FailureReason.BAD_ANSWER: FailureMeaning(
        text="The response is not valid HTTP.",
        is_answer=True,
        is_rewordable=True,
    ),
    FailureReason.HTTP_ERROR: FailureMeaning(
        text="The server answered with an error (status 400 or more).",
        is_answer=True,
        is_rewordable=True,
    ),
    FailureReason.EXCEPTION_REPORT: FailureMeaning(
        text="A service answered every question of the test with an exception report.",
        is_answer=True,
    ),
    FailureReason.HTML_PAGE: FailureMeaning(
        text="The address looked like a service, but is a web page.",
        is_answer=True,
    ),
    FailureReason.OTHER_DOCUMENT: FailureMeaning(
        text="The address looked like a service, but is a document that describes none.",
        is_answer=True,
    ),
    FailureReason.EMPTY_ANSWER: FailureMeaning(
        text="The address looked like a service, but its response is empty.",
        is_answer=True,
    ),
    FailureReason.MALFORMED: FailureMeaning(
        text="The description of the service is too broken to be read.",
        is_answer=True,
    ),
    FailureReason.BLANK_IMAGE: FailureMeaning(
        text="The address looked like a service, but its response is a blank image.",
        is_answer=True,
    ),
    FailureReason.INCONCLUSIVE: FailureMeaning(
        text="The test ended before it was known whether the address is a service.",
        is_answer=True,
    ),
    FailureReason.OUT_OF_SCOPE: FailureMeaning(
        text="The link is outside the crawl's scope.",
        advice="--scope sets which hosts are followed.",
        is_asked=False,
    ),
    FailureReason.TOO_DEEP: FailureMeaning(
        text="The page is too many links away from the seeds.",
        advice="--depth, or the setting max_depth, allows more.",
        is_asked=False,
    ),
    FailureReason.DEPTH_BUDGET: FailureMeaning(
        text="The page limit of this link depth is reached.",
        advice="The setting max_pages_per_depth allows more.",
        is_asked=False,
    ),
    FailureReason.HOST_BUDGET: FailureMeaning(
        text="The page limit of this host is reached.",
        advice="The setting max_pages_per_host allows more.",
        is_asked=False,
    ),
    FailureReason.DOMAIN_BUDGET: FailureMeaning(
        text="The host limit of this domain is reached.",
        advice="The setting max_hosts_per_domain allows more.",
        is_asked=False,
    ),
    FailureReason.PATTERN_BUDGET: FailureMeaning(
        text="The page limit of this URL pattern is reached, such as a calendar's.",
        advice="The setting max_pages_per_pattern allows more.",
        is_asked=False,
    ),
    FailureReason.HARVEST_BUDGET: FailureMeaning(
        text="The page limit of this catalogue is reached.",
        advice="The setting max_harvest_pages allows more.",
        is_asked=False,
    ),
    FailureReason.TRAP: FailureMeaning(
        text="URLs of this pattern are endless and lead to nothing new: a crawler trap.",
        is_asked=False,
    ),
    FailureReason.MEDIA: FailureMeaning(
        text="The link leads to an image, a video or an archive.", is_asked=False
    ),
    FailureReason.SINK: FailureMeaning(
        text="The link leads to social media or another site where no services are found.",
        advice="The setting sinks = -SITE follows it.",
        is_asked=False,
    ),
    FailureReason.OTHER_KIND: FailureMeaning(
        text="The service is alive, but not of the kinds asked for.",
        advice="--kinds says which are kept.",
    ),
    FailureReason.OTHER_AREA: FailureMeaning(
        text="The service is alive, but its data lie outside the bounding box.",
        advice="--bbox says where.",
    ),
    FailureReason.OTHER_TOPIC: FailureMeaning(
        text="The service is alive, but not about the topic asked for.",
        advice="--topic says which one.",
    ),
    FailureReason.DUPLICATE_CONTENT: FailureMeaning(
        text="The page is a near-duplicate of another one."
    ),
    FailureReason.READ_LATELY: FailureMeaning(
        text="Some task has read the page lately: its links were followed, and the page was not requested again.",
        advice="--fresh, or the setting revisit_after = 0, requests it.",
        is_asked=False,
    ),
    FailureReason.SOFT_404: FailureMeaning(
        text="The page is an error page with a success status."
    ),
    FailureReason.BOT_WALL: FailureMeaning(
        text="The site blocks robots.", is_wall=True, is_hindrance=True
    ),
    FailureReason.LOGIN_WALL: FailureMeaning(
        text="The site requires a log-in.", is_wall=True, is_hindrance=True
    ),
    FailureReason.PAGE_BUDGET: FailureMeaning(
        text="The page limit is reached.",
        advice="--max-pages, or the setting max_pages, allows more.",
        is_asked=False,
    ),
    FailureReason.ORDER: FailureMeaning(
        text="The crawl order excluded it.", is_asked=False
    ),
    FailureReason.UNCHANGED: FailureMeaning(
        text="The watcher of its site reports that it has not changed since it was last read.",
        is_asked=False,
    ),
    FailureReason.TAKEN: FailureMeaning(
        text="Another crawler has taken its site, as the watcher of the site reports.",
        advice="The setting watcher_leaves_taken = false reads such sites too.",
        is_asked=False,
    ),
    FailureReason.NO_KEY: FailureMeaning(
        text="The search provider needs a key or an address that is not set.",
        advice="The command geohound sources says what is missing.",
        is_asked=False,
    ),
    FailureReason.BUG: FailureMeaning(text="Internal error in Geohound.", advice=_BUG),
}

BUSY_STATUSES: Final = {429: FailureReason.RATE_LIMITED, 503: FailureReason.UNAVAILABLE}


def reason_in(message: str) -> FailureReason | None:
    """The reason with which a message begins, as "name not found: no.example" does."""
    return next(
        (reason for reason in FailureReason if message.startswith(reason)), None
    )


# Reasons with which a page is settled that was leased and then not asked for: it spends no budget.
NOT_ASKED = (FailureReason.TRAP, FailureReason.READ_LATELY)
# A catalogue that repeats a page, or whose cursor stands still, has been read to its end.
REPEATED = (FailureReason.DUPLICATE_CONTENT, FailureReason.TRAP)
# Reasons with which a page that a watcher reports is settled without having been read.
NOT_READ = frozenset({FailureReason.UNCHANGED, FailureReason.TAKEN, FailureReason.BUG})
