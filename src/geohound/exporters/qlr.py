"""A QGIS layer definition: the layers themselves, ready to be dragged into a project."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from tempfile import TemporaryFile
from xml.sax.saxutils import escape, quoteattr

from geohound.model.export import ExportedService
from geohound.model.service import Layer
from geohound.qgis_source import QgisSource, qgis_source

from ._part import ExportFormat

LAYERS_OF_A_SERVICE = 100  # a project with more than this of one service is no longer one that a person looks through
_PIECE = 65_536


def _write(services: Iterable[ExportedService]) -> Iterator[bytes]:
    """The tree is written as it is read; what it is made of waits in a file until the tree is complete."""
    yield b'<!DOCTYPE qgis-layer-definition>\n<qlr>\n  <layer-tree-group expanded="1" checked="Qt::Checked" name="">\n'
    with TemporaryFile() as definitions:
        for each in services:
            found = list(islice(_layers(each), LAYERS_OF_A_SERVICE))
            if found:
                name = _attribute(_title(each))
                yield f'    <layer-tree-group expanded="0" checked="Qt::Checked" name={name}>\n'.encode()
            for id_, title, source in found:
                yield _leaf(id_, title, source).encode()
                definitions.write(_definition(id_, title, source).encode())
            if found:
                yield b"    </layer-tree-group>\n"
        yield b"  </layer-tree-group>\n  <maplayers>\n"
        definitions.seek(0)
        while piece := definitions.read(_PIECE):
            yield piece
    yield b"  </maplayers>\n</qlr>\n"


def _layers(each: ExportedService) -> Iterator[tuple[str, str, QgisSource]]:
    """Id, title and source of the layers that QGIS can open."""
    for number, layer in enumerate(each.service.layers or (Layer(""),)):
        sources = (
            qgis_source(each.service, request) for request in each.requests(layer)
        )
        source = next(filter(None, sources), None)
        if source is not None:
            title = _printable(layer.title or layer.name or each.service.title)[:200]
            yield f"geohound_{each.record['id']}_{number}", title, source


def _title(each: ExportedService) -> str:
    return _printable(each.service.title)[:200] or each.service.endpoint


def _leaf(id_: str, title: str, source: QgisSource) -> str:
    return (
        f'      <layer-tree-layer checked="Qt::Checked" expanded="0" id="{id_}" name={_attribute(title)}'
        f' providerKey="{source.provider}" source={_attribute(source.uri)}/>\n'
    )


def _definition(id_: str, title: str, source: QgisSource) -> str:
    geometry = ' geometry="Unknown geometry"' if source.layer_type == "vector" else ""
    return (
        f'    <maplayer type="{source.layer_type}"{geometry}>\n'
        f"      <id>{id_}</id>\n"
        f"      <datasource>{escape(_printable(source.uri))}</datasource>\n"
        f"      <layername>{escape(title)}</layername>\n"
        f"      <srs><spatialrefsys><authid>{escape(_printable(source.crs))}</authid></spatialrefsys></srs>\n"
        f"      <provider>{source.provider}</provider>\n"
        f"    </maplayer>\n"
    )


def _attribute(text: str) -> str:
    return quoteattr(_printable(text))


def _printable(text: str) -> str:
    kept = (
        "".join(c if c.isprintable() else " " for c in text)
        .encode("utf-8", "replace")
        .decode()
    )
    return " ".join(kept.split())


EXPORTERS = (
    ExportFormat(
        "qlr",
        "QGIS layers",
        "application/x-qgis-layer-definition",
        "qlr",
        _write,
        needs_layers=True,
    ),
)
