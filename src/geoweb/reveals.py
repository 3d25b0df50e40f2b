"""How a page shows the services it mentions: as links, text, forms, code, scripts and configuration files."""

from __future__ import annotations

from dataclasses import replace
from html import escape

from geoweb import services
from geoweb.chance import mix
from geoweb.hosts import Host
from geoweb.placing import Dialect, How, Mention, Placed
from geoweb.protocol import ServiceSpec
from geoweb.viewers import Shown, config_name, write_script
from geoweb.words import vocabulary
from geoweb.world import World

_CODE = (
    'curl -o answer.xml "{request}"',
    'import requests\n\nanswer = requests.get("{request}", timeout=30)\nprint(answer.text[:500])',
    'service_url &lt;- "{request}"\nxml2::read_xml(service_url)',
    "# QGIS: Layer &gt; Add layer\nurl={endpoint}\n",
    '$ wget -q "{request}" -O - | head',
)


def spelt(placed: Placed, dialect: Dialect) -> ServiceSpec:
    """The spec under the address that a mention uses: before it moved, with `www.`, or on the mirror."""
    spec = placed.spec
    if placed.old_endpoint:
        return replace(spec, endpoint=placed.old_endpoint)
    if dialect in {Dialect.WWW, Dialect.MIRROR}:
        name = spec.endpoint[len("http://") :]
        name = (
            name[4:]
            if dialect is Dialect.WWW and name.startswith("www.")
            else f"{dialect.value}.{name}"
        )
        return replace(spec, endpoint=f"http://{name}")
    if dialect is Dialect.VERSION:
        return replace(spec, version=services.VERSIONS[spec.kind][-1])
    return spec


def mentioned_url(placed: Placed, mention: Mention) -> str:
    """The request URL as the mention spells it."""
    url = services.request_url(spelt(placed, mention.dialect))
    return shuffle_params(url) if mention.dialect is Dialect.CASE else url


def shuffle_params(url: str) -> str:
    """The same request with its OGC parameters in another order and case."""
    before, mark, query = url.partition("?")
    if not mark:
        return url
    pairs = [p.partition("=") for p in query.split("&") if p]
    known = {"service", "request", "version"}
    turned = [(k.lower() if k.isupper() else k.upper()) + s + v if k.lower() in known else k + s + v
              for k, s, v in reversed(pairs)]  # fmt: skip
    return f"{before}?{'&'.join(turned)}"


def shown_on(world: World, mentions: tuple[Mention, ...], how: How) -> list[Shown]:
    """The services that a page shows in one way."""
    found = []
    for mention in mentions:
        placed = world.services[mention.service]
        if placed.how is how:
            layers = services.facts(placed.spec).layers
            endpoint = spelt(placed, mention.dialect).endpoint
            found.append(
                Shown(
                    placed.spec.kind,
                    endpoint,
                    mentioned_url(placed, mention),
                    layers[0] if layers else "",
                )
            )
    return found


def write_mentions(
    world: World, host: Host, page: int, mentions: tuple[Mention, ...]
) -> str:
    """HTML of all mentions of a page, each in its own way."""
    hows = dict.fromkeys(world.services[m.service].how for m in mentions)
    return "".join(
        _WRITERS[how](host, page, shown_on(world, mentions, how)) for how in hows
    )


def _write_links(_host: Host, _page: int, shown: list[Shown]) -> str:
    rows = (f'<li><a href="{escape(s.request)}">{_label(s)}</a></li>' for s in shown)
    return f'<ul class="services">{"".join(rows)}</ul>'


def _label(shown: Shown) -> str:
    """What the link says: the kind, the layer, or nothing of use."""
    number = mix(len(shown.request), len(shown.layer)) % 4
    return (
        f"{shown.kind.upper()} {escape(shown.layer)}",
        "GetCapabilities",
        escape(shown.layer) or "XML",
        "URL",
    )[number]


def _write_bare(_host: Host, _page: int, shown: list[Shown]) -> str:
    return "".join(
        f'<p><a href="{escape(s.endpoint)}">{escape(s.layer) or "link"}</a></p>'
        for s in shown
    )


def _write_text(host: Host, _page: int, shown: list[Shown]) -> str:
    label = vocabulary(host.language).ui["address"]
    return "".join(f"<p>{label}: {escape(s.request)}</p>" for s in shown)


def _write_forms(host: Host, _page: int, shown: list[Shown]) -> str:
    button = vocabulary(host.language).ui["more"]
    forms = []
    for s in shown:
        action, _, query = s.request.partition("?")
        pairs = (p.partition("=") for p in query.split("&") if p)
        hidden = "".join(
            f'<input type="hidden" name="{escape(k)}" value="{escape(v)}">'
            for k, _, v in pairs
        )
        forms.append(
            f'<form method="get" action="{escape(action)}">{hidden}<button>{button}</button></form>'
        )
    return "".join(forms)


def _write_code(_host: Host, page: int, shown: list[Shown]) -> str:
    samples = (
        _CODE[mix(page, i) % len(_CODE)].format(
            request=escape(s.request, quote=False), endpoint=s.endpoint
        )
        for i, s in enumerate(shown)
    )
    return "".join(
        f'<pre><code class="language-shell">{sample}</code></pre>' for sample in samples
    )


def _write_inline(_host: Host, page: int, shown: list[Shown]) -> str:
    return f'<div id="map"></div><script>\n{write_script(shown, page)}</script>'


def _write_script_file(_host: Host, page: int, _shown: list[Shown]) -> str:
    return f'<div id="map" class="viewer"></div><script src="/js/viewer-{page}.js"></script>'


def _write_config(host: Host, page: int, _shown: list[Shown]) -> str:
    name = config_name(host.seed, page)
    if host.seed % 3 == 0:
        return f'<div id="map" data-config="{name}"></div><script src="/lib/mapapp.js"></script>'
    return f'<div id="map"></div><script>fetch("{name}").then(r => r.text()).then(MapApp.start);</script>'


_WRITERS = {
    How.LINK: _write_links,
    How.SITEMAP: _write_links,
    How.BARE: _write_bare,
    How.TEXT: _write_text,
    How.FORM: _write_forms,
    How.CODE: _write_code,
    How.SCRIPT: _write_inline,
    How.SCRIPT_FILE: _write_script_file,
    How.CONFIG: _write_config,
}
