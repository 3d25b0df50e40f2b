"""What a robots.txt says to us: RFC 9309, read as forgivingly as the big search engines do.

Where the RFC and Google's reader differ, we take the reading that lets us ask for less.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from urllib.parse import quote

MAX_BYTES = 500 * 1024
MAX_DELAY_S = 300.0
# as Google's reader has it: eight times the longest URL that browsers took
_MAX_LINE_CHARS = 16_663
_MAX_RULES = 20_000
_MAX_SITEMAPS = 1_000
# Comparisons of characters for one path, some 30 ms; the longest honest file with a long path needs a tenth.
_MAX_COMPARISONS = 20_000_000

# Misspelt often enough that everybody's intention is clear.
_NAMES = {
    "user-agent": "agent", "useragent": "agent", "user agent": "agent",
    "allow": "allow",
    "disallow": "disallow", "dissallow": "disallow", "dissalow": "disallow", "disalow": "disallow",
    "diasllow": "disallow", "disallaw": "disallow",
    "sitemap": "sitemap", "site-map": "sitemap",
    "crawl-delay": "delay", "crawldelay": "delay",
}  # fmt: skip
_NAME_BEGINNINGS = tuple(_NAMES)
_LINE_END = re.compile(r"\r\n|\r|\n")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_TOKEN = re.compile(r"[A-Za-z_-]+")
# a name, then its version or a comment, if anything
_CLEAN_AGENT = re.compile(r"[A-Za-z_-]+(?:$|/|\s+[\d(+])")
_UNRESERVED = frozenset(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
)
_INDEX = re.compile(r"/index\.html?$")


@dataclass(frozen=True, slots=True)
class RobotsRule:
    """One Allow or Disallow line, cut at its asterisks."""

    allows: bool
    parts: tuple[str, ...]
    to_the_end: bool
    weight: int  # octets of the pattern: the most specific match wins
    longest: int = 0  # characters of the longest part that is searched for

    def matches(self, path: str) -> bool:
        """Leftmost match of each part, where a regular expression could be made to hang.

        The parts search one stretch of the path each: at most len(path) times `longest` comparisons.
        """
        first, *rest = self.parts
        if not path.startswith(first):
            return False
        at = len(first)
        if not rest:
            return at == len(path) or not self.to_the_end
        last = rest.pop()
        for part in rest:
            found = path.find(part, at)
            if found < 0:
                return False
            at = found + len(part)
        if self.to_the_end:
            return len(path) - len(last) >= at and path.endswith(last)
        return path.find(last, at) >= 0


@dataclass(frozen=True, slots=True)
class RobotsRules:
    """The rules of one origin that concern one crawler, most specific first."""

    rules: tuple[RobotsRule, ...] = ()
    delay_s: float | None = None
    sitemaps: tuple[str, ...] = ()
    # of all that forbid: a path with none of them is nobody's business
    beginnings: tuple[str, ...] = ()
    beside: RobotsRules | None = None  # others that must allow it too

    def allow(self, path: str) -> bool:
        """May this path (with its query) be asked for? Not if the rules are made to take too long to match."""
        if not self.rules or path == "/robots.txt":
            return self.beside is None or self.beside.allow(path)
        as_sent = upper_escapes((path or "/").replace("*", "%2A").replace("$", "%24"))
        path = spell(as_sent)
        if path.startswith(self.beginnings) and not self._allow(path, as_sent):
            return False
        return self.beside is None or self.beside.allow(as_sent)

    def _allow(self, path: str, as_sent: str) -> bool:
        """The most specific rule decides; those that allow must match the path as it is sent (see `_compile`)."""
        comparisons = 0
        for rule in self.rules:
            subject = as_sent if rule.allows else path
            if not subject.startswith(rule.parts[0]):
                continue
            comparisons += len(subject) * min(rule.longest, len(subject))
            if comparisons > _MAX_COMPARISONS:
                return False
            if rule.matches(subject):
                return rule.allows
        return True


ALLOW_ALL = RobotsRules()
DISALLOW_ALL = RobotsRules((RobotsRule(False, ("/",), False, 1),), beginnings=("/",))


def spell(path: str) -> str:
    """One spelling for comparison: needless escapes undone, all others in upper case."""
    if "%" not in path:
        return path
    return _ESCAPE.sub(_respell, path)


def upper_escapes(path: str) -> str:
    """Escapes in upper case, and nothing else changed."""
    return _ESCAPE.sub(lambda match: match[0].upper(), path) if "%" in path else path


def _respell(match: re.Match[str]) -> str:
    char = chr(int(match[1], 16))
    return char if char in _UNRESERVED else match[0].upper()


def product_token(user_agent: str) -> str:
    """The name by which robots.txt calls us: `Geohound/0.1 (+…)` is geohound."""
    match = _TOKEN.match(user_agent)
    return match[0].lower() if match else ""


@dataclass(slots=True)
class _Group:
    rules: list[RobotsRule] = field(default_factory=list)
    delay_s: float | None = None
    named: bool = False


def read_robots(body: bytes, user_agent: str) -> RobotsRules:
    """The rules for this crawler; anything at all may be in the file."""
    token = product_token(user_agent)
    ours, everybodys = _Group(), _Group()
    sitemaps: list[str] = []
    current: list[_Group] = []
    in_rules = False
    for name, value in _lines(body):
        if name == "agent":
            if in_rules:
                current, in_rules = [], False
            group = _addressed(value, token, ours, everybodys)
            if group is not None:
                group.named = True
                current.append(group)
        elif name == "sitemap":
            if value and len(sitemaps) < _MAX_SITEMAPS:
                sitemaps.append(value)
        elif name == "delay":
            in_rules = True  # a rule to those who obey it: the next user-agent line begins a new group
            for group in current:
                group.delay_s = _delay(value, group.delay_s)
        else:
            in_rules = True
            _add_rule(current, name == "allow", value)
    if not ours.named:
        return _settle(everybodys, sitemaps)
    # "Foo Bar" is no name that the RFC knows: who says "foo" may mean us, and who says "*" too.
    beside = None if _CLEAN_AGENT.match(user_agent) else _settle(everybodys, [])
    return replace(_settle(ours, sitemaps), beside=beside)


def _settle(group: _Group, sitemaps: list[str]) -> RobotsRules:
    # Stable sort: heaviest first, and Allow before Disallow of the same weight.
    rules = sorted(group.rules, key=lambda rule: (-rule.weight, not rule.allows))
    beginnings = tuple(
        dict.fromkeys(rule.parts[0] for rule in rules if not rule.allows)
    )
    return RobotsRules(tuple(rules), group.delay_s, tuple(sitemaps), beginnings)


def _lines(body: bytes) -> list[tuple[str, str]]:
    """Known lines as (name, value); unknown ones are skipped and end no group (RFC 9309, 2.2.4)."""
    text = _without_bom(body[:MAX_BYTES]).decode("utf-8", "surrogateescape")
    if len(body) > MAX_BYTES:
        # half a rule would forbid too much
        text = text[: max(text.rfind("\n"), text.rfind("\r")) + 1]
    found = []
    for raw in _LINE_END.split(text):
        line = raw[:_MAX_LINE_CHARS].partition("#")[0].strip(" \t\0")
        name, colon, value = line.partition(":")
        known = _known_name(name) if colon else ""
        if not known:
            # "Disallow /x": the colon was forgotten
            name, _, value = line.replace("\t", " ").partition(" ")
            known = _NAMES.get(name.strip().lower(), "")
        if known:
            found.append((known, value.strip(" \t")))
    return found


def _without_bom(body: bytes) -> bytes:
    """What careless editors leave of a byte order mark is taken off too."""
    for byte in b"\xef\xbb\xbf":
        if body[:1] != bytes((byte,)):
            break
        body = body[1:]
    return body


def _known_name(name: str) -> str:
    """Names that only begin like a known one ("Disallowed", "User-agents") count as that one, as with Google."""
    name = name.strip().lower()
    known = _NAMES.get(name, "")
    if (
        not known
        and " " not in name
        and "\t" not in name
        and name.startswith(_NAME_BEGINNINGS)
    ):
        known = next(
            _NAMES[beginning]
            for beginning in _NAME_BEGINNINGS
            if name.startswith(beginning)
        )
    return known


def _addressed(
    value: str, token: str, ours: _Group, everybodys: _Group
) -> _Group | None:
    """Whose group a user-agent line opens: its leading product token counts, what follows it does not."""
    if value == "*" or value[:2] in ("* ", "*\t"):
        return everybodys
    match = _TOKEN.match(value)
    return ours if match and match[0].lower() == token else None


def _add_rule(groups: list[_Group], allows: bool, pattern: str) -> None:
    if not pattern or not groups:
        return  # an empty value is no rule: "Disallow:" allows all
    patterns = [pattern]
    if allows and _INDEX.search(pattern):
        # who allows the index page allows its folder
        patterns.append(_INDEX.sub("/$", pattern))
    for each in patterns:
        rule = _compile(allows, each)
        for group in groups:
            if len(group.rules) < _MAX_RULES:
                group.rules.append(rule)


def _compile(allows: bool, pattern: str) -> RobotsRule:
    """Bytes beyond ASCII and spaces are escaped as a URL would have them; a $ inside stands for itself.

    Escapes that nobody needs (%62 for b) are undone in what is forbidden, as the RFC has it; what is allowed must match
    to the letter, as Google has it.
    """
    to_the_end = pattern.endswith("$")
    raw = (pattern[:-1] if to_the_end else pattern).encode("utf-8", "surrogateescape")
    body = upper_escapes(
        quote(raw, safe="/%*?#[]@!&'()+,;=:~|^{}`\\").replace("$", "%24")
    )
    if not allows:
        body = spell(body)
    if not body.startswith(("/", "*")):
        body = "/" + body
    parts = tuple(body.split("*"))
    longest = max(map(len, parts[1:]), default=0)
    weight = len(raw) + 2 * sum(byte > 0x7F for byte in raw) + to_the_end
    return RobotsRule(allows, parts, to_the_end, weight, longest)


def _delay(value: str, known: float | None) -> float | None:
    try:
        delay_s = float(value)
    except ValueError:
        return known
    if not 0 <= delay_s < float("inf"):
        return known
    return max(min(delay_s, MAX_DELAY_S), known or 0.0)
