"""What a robots.txt says to us: RFC 9309, read as forgivingly as the big search engines do."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import quote

MAX_BYTES = 500 * 1024
MAX_DELAY_S = 300.0
_MAX_LINE_CHARS = 16_663  # as Google's reader has it: eight times the longest URL that browsers took
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
_LINE_END = re.compile(r"\r\n|\r|\n")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_TOKEN = re.compile(r"[A-Za-z_-]+")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_INDEX = re.compile(r"/index\.html?$")


@dataclass(frozen=True, slots=True)
class Rule:
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

    rules: tuple[Rule, ...] = ()
    delay_s: float | None = None
    sitemaps: tuple[str, ...] = ()
    beginnings: tuple[str, ...] = ()  # of all rules: a path with none of them is nobody's business

    def allow(self, path: str) -> bool:
        """May this path (with its query) be asked for? Not if the rules are made to take too long to tell."""
        if not self.rules or path == "/robots.txt":
            return True
        path = spell((path or "/").replace("*", "%2A").replace("$", "%24"))
        if self.beginnings and not path.startswith(self.beginnings):
            return True
        comparisons = 0
        for rule in self.rules:
            if not path.startswith(rule.parts[0]):
                continue
            comparisons += len(path) * min(rule.longest, len(path))
            if comparisons > _MAX_COMPARISONS:
                return False
            if rule.matches(path):
                return rule.allows
        return True


ALLOW_ALL = RobotsRules()
DISALLOW_ALL = RobotsRules((Rule(False, ("/",), False, 1),))


def spell(path: str) -> str:
    """One spelling for comparison: needless escapes undone, all others in upper case."""
    if "%" not in path:
        return path
    return _ESCAPE.sub(_respell, path)


def _respell(match: re.Match[str]) -> str:
    char = chr(int(match[1], 16))
    return char if char in _UNRESERVED else match[0].upper()


def product_token(user_agent: str) -> str:
    """The name by which robots.txt calls us: `Geohound/0.1 (+…)` is geohound."""
    match = _TOKEN.match(user_agent)
    return match[0].lower() if match else ""


@dataclass(slots=True)
class _Group:
    rules: list[Rule] = field(default_factory=list)
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
    group = ours if ours.named else everybodys
    # Stable sort: heaviest first, and Allow before Disallow of the same weight.
    rules = sorted(group.rules, key=lambda rule: (-rule.weight, not rule.allows))
    beginnings = tuple(dict.fromkeys(rule.parts[0] for rule in rules))
    return RobotsRules(tuple(rules), group.delay_s, tuple(sitemaps), beginnings)


def _lines(body: bytes) -> list[tuple[str, str]]:
    """Known lines as (name, value); unknown ones are skipped and end no group (RFC 9309, 2.2.4)."""
    text = body[:MAX_BYTES].decode("utf-8-sig", "surrogateescape")
    if len(body) > MAX_BYTES:
        text = text[: max(text.rfind("\n"), text.rfind("\r")) + 1]  # half a rule would forbid too much
    found = []
    for raw in _LINE_END.split(text):
        line = raw[:_MAX_LINE_CHARS].partition("#")[0].strip(" \t\0")
        name, colon, value = line.partition(":")
        if not colon or name.strip().lower() not in _NAMES:
            name, _, value = line.replace("\t", " ").partition(" ")  # "Disallow /x": the colon was forgotten
        known = _NAMES.get(name.strip().lower())
        if known:
            found.append((known, value.strip(" \t")))
    return found


def _addressed(value: str, token: str, ours: _Group, everybodys: _Group) -> _Group | None:
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
        patterns.append(_INDEX.sub("/$", pattern))  # who allows the index page allows its folder
    for each in patterns:
        rule = _compile(allows, each)
        for group in groups:
            if len(group.rules) < _MAX_RULES:
                group.rules.append(rule)


def _compile(allows: bool, pattern: str) -> Rule:
    to_the_end = pattern.endswith("$")
    body = pattern[:-1] if to_the_end else pattern
    # Bytes beyond ASCII and spaces are escaped as a URL would have them; a $ inside stands for itself.
    raw = body.encode("utf-8", "surrogateescape")
    body = spell(quote(raw, safe="/%*?#[]@!&'()+,;=:~|^{}`\\").replace("$", "%24"))
    if not body.startswith(("/", "*")):
        body = "/" + body
    parts = tuple(body.split("*"))
    longest = max(map(len, parts[1:]), default=0)
    return Rule(allows, parts, to_the_end, len(pattern.encode("utf-8", "surrogateescape")), longest)


def _delay(value: str, known: float | None) -> float | None:
    try:
        delay_s = float(value)
    except ValueError:
        return known
    if not 0 <= delay_s < float("inf"):
        return known
    return max(min(delay_s, MAX_DELAY_S), known or 0.0)
