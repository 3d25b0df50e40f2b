"""What providers say about use: their words kept, and a licence named where the words are clear."""

from __future__ import annotations

import re

from geohound.model.service import Access

_MAX_CHARS = 4000
_CC_PARTS = r"(?P<parts>by(?:[\s_-]*(?:nc|nd|sa))*|zero)"
# Clear names only, most specific first; SPDX ids where SPDX has one, else the short name in common use.
_RULES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        (
            "CC0-1.0",
            r"\bcc[\s_-]?(?:0|zero)\b|creative\s*commons\s*zero|publicdomain/zero",
        ),
        ("PDDL-1.0", r"\bpddl\b|opendatacommons\.org/licenses/pddl"),
        ("ODbL-1.0", r"\bodbl\b|open\s+database\s+licen[cs]e"),
        ("ODC-By-1.0", r"\bodc[\s-]by\b|opendatacommons\.org/licenses/by"),
        (
            "OGL-UK-3.0",
            r"\bogl[\s-]?(?:uk[\s-]?)?v?3|open-government-licence/version/3",
        ),
        (
            "OGL-UK-2.0",
            r"open-government-licence/version/2|\bogl[\s-]?(?:uk[\s-]?)?v?2\b",
        ),
        (
            "OGL-Canada-2.0",
            r"open\s+government\s+licen[cs]e\s*+(?:[-–—]\s*+)?canada|ouverte?-canada|open-government-licence-canada",
        ),
        ("OGL-UK-3.0", r"\bopen\s+government\s+licen[cs]e\b"),
        (
            "DL-DE-ZERO-2.0",
            r"dl-de[/-]zero-2|datenlizenz\s+deutschland\W+zero\W+version\s+2",
        ),
        (
            "DL-DE-BY-2.0",
            r"dl-de[/-]by-2|datenlizenz\s+deutschland\W+namensnennung\W+version\s+2",
        ),
        (
            "DL-DE-BY-1.0",
            r"dl-de[/-]by-1|datenlizenz\s+deutschland\W+namensnennung\W+version\s+1",
        ),
        ("DL-DE-BY-NC-1.0", r"dl-de[/-]by-nc"),
        (
            "etalab-2.0",
            r"etalab[\w/.\s-]{0,30}?2\.0|licence[\s-]ouverte[\w/\s().-]{0,30}?2\.0",
        ),
        ("etalab-1.0", r"\betalab\b|licence[\s-]ouverte"),
        ("NLOD-2.0", r"\bnlod[\s/]*2"),
        ("NLOD-1.0", r"\bnlod\b|norsk\s+lisens\s+for\s+offentlige\s+data"),
        ("IODL-2.0", r"\biodl[\s-]*v?2"),
        ("IODL-1.0", r"\biodl\b"),
        ("EUPL-1.2", r"\beupl\b"),
        ("Geonutzv", r"\bgeonutzv\b"),
        (
            "public domain",
            r"\bpublic\s*domain\b|\bdominio\s+p[uú]blico\b|\bdomaine\s+public\b|\bgemeinfrei",
        ),
        (
            "proprietary",
            r"\ball\s+rights\s+reserved\b|\balle\s+rechte\s+vorbehalten\b|\btous\s+droits\s+r[ée]serv[ée]s\b",
        ),
    )
)
_CC = re.compile(
    rf"""(?:\bcc|creative\s*commons(?:\.org/licenses)?)[\s:/_-]*+(?:attribution[\s:/_-]*+)?{_CC_PARTS}\b
    (?:[\s:/_-]*+(?:v(?:ersion)?\s*+)?(?P<version>[1-4]\.[05]))?""",
    re.IGNORECASE | re.VERBOSE,
)
_CC_LONG = re.compile(
    r"creative\s*commons[\s:,-]*attribution(?P<parts>(?:[\s,-]*(?:non-?\s?commercial|no-?\s?derivat\w+|share-?\s?alike))*)"
    r"(?:[\s,-]*(?:v(?:ersion)?\s*)?(?P<version>[1-4]\.[05]))?",
    re.IGNORECASE,
)
_SAYS_NOTHING = re.compile(
    r"^\W*(?:none|no|nessuno|keine|aucune?|ninguna?|geen|n/?a|null|nil|unknown|no\s+(?:fees?|constraints?|conditions?)"
    r"(?:\s+(?:apply|specified))?|no\s+conditions\s+apply|no\s+limitations.*)?\W*$",
    re.IGNORECASE,
)


def read_access(
    fees: str = "", constraints: str = "", licence_text: str = ""
) -> Access:
    """Fees and constraints as declared (clipped), the words that name the licence, and its normal name."""
    fees, constraints, licence_text = (
        t.strip()[:_MAX_CHARS] for t in (fees, constraints, licence_text)
    )
    for words in (licence_text, constraints, fees):
        licence = name_licence(words)
        if licence:
            return Access(fees, constraints, licence, words)
    return Access(fees, constraints, "", licence_text)


def name_licence(words: str) -> str:
    """The SPDX id or short name of the licence that these words clearly name; empty if they do not."""
    if len(words) < 3 or _SAYS_NOTHING.match(words[:200]):
        return ""
    words = words[:_MAX_CHARS]
    creative = _CC.search(words)
    if creative and creative["parts"].lower() != "zero":
        return _creative_commons(
            re.findall(r"nc|nd|sa", creative["parts"].lower()), creative["version"]
        )
    for name, pattern in _RULES:
        if pattern.search(words):
            return name
    spoken = _CC_LONG.search(words)
    if spoken:
        parts = [
            short
            for short, word in (("nc", r"non"), ("nd", r"deriv"), ("sa", r"share"))
            if re.search(word, spoken["parts"], re.IGNORECASE)
        ]
        return _creative_commons(parts, spoken["version"])
    return ""


def _creative_commons(parts: list[str], version: str | None) -> str:
    order = [p for p in ("nc", "nd", "sa") if p in parts]
    return "-".join(["CC-BY", *(p.upper() for p in order), version or "4.0"])
