"""What is exported opens in real programs: GDAL reads the files, PyQGIS opens the layers and draws them."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from lab_truth import MARKS, pick

from geohound.model.health import HealthState
from geohound.model.service import Service, Verdict
from geohound.plugins import discover
from geohound.views.exporting import Exporting

pytestmark = MARKS
Identify = Callable[[str], Verdict]
MAPSERV = "mapserver/cgi-bin/mapserv?map=BALTIC&SERVICE={0}&VERSION={1}&REQUEST=GetCapabilities"

PYQGIS = """
import json, sys
from qgis.core import QgsApplication, QgsLayerDefinition, QgsMapRendererParallelJob, QgsMapSettings, QgsProject, \
    QgsCoordinateReferenceSystem, QgsRectangle
from qgis.PyQt.QtCore import QSize
from qgis.PyQt.QtGui import QColor
application = QgsApplication([], False)
application.initQgis()
project = QgsProject.instance()
done, message = QgsLayerDefinition.loadLayerDefinition(sys.argv[1], project, project.layerTreeRoot())
found = []
for layer in project.mapLayers().values():
    settings = QgsMapSettings()
    settings.setLayers([layer])
    settings.setDestinationCrs(QgsCoordinateReferenceSystem("EPSG:4326"))
    settings.setExtent(QgsRectangle(14, 54, 25, 61))
    settings.setOutputSize(QSize(120, 80))
    settings.setBackgroundColor(QColor("white"))
    job = QgsMapRendererParallelJob(settings)
    job.start()
    job.waitForFinished()
    image = job.renderedImage()
    colours = {image.pixel(x, y) for x in range(120) for y in range(80)}
    about = {"name": layer.name(), "provider": layer.providerType(), "valid": layer.isValid()}
    found.append({**about, "colours": len(colours)})
print(json.dumps({"done": done, "message": message, "layers": found}))
"""


def write(service: Service, format_id: str, file: Path) -> Path:
    exporting = Exporting(None, None, discover("kinds"))  # type: ignore[arg-type] - one service needs no catalogue
    file.write_bytes(
        b"".join(
            exporting.write_one(
                discover("exporters")[format_id], service, HealthState.ALIVE
            )
        )
    )
    return file


@pytest.mark.parametrize(
    ("place", "kind", "provider"),
    [
        (MAPSERV.format("WMS", "1.3.0"), "wms", "wms"),
        (MAPSERV.format("WFS", "2.0.0"), "wfs", "WFS"),
        (MAPSERV.format("WCS", "2.0.1"), "wcs", "wcs"),
        ("pygeoapi/", "ogcapi-features", "OAPIF"),
    ],
)
def test_pyqgis_opens_and_draws_every_layer_of_a_definition(
    identify: Identify, tmp_path: Path, place: str, kind: str, provider: str
) -> None:
    service = pick(identify(place), kind)
    file = write(service, "qlr", tmp_path / "layers.qlr")
    environment = {
        **os.environ,
        "QT_QPA_PLATFORM": "offscreen",
        "XDG_RUNTIME_DIR": str(tmp_path),
        "HOME": str(tmp_path),
    }
    command = ["/usr/bin/python3", "-c", PYQGIS, str(file)]
    run = subprocess.run(
        command,
        capture_output=True,
        text=True,
        env=environment,
        timeout=120,
        check=False,
    )
    said = (
        json.loads(run.stdout.splitlines()[-1])
        if run.stdout
        else pytest.fail(run.stderr)
    )
    assert said["done"], said["message"]
    titles = {layer.title or layer.name for layer in service.layers}
    assert {each["name"] for each in said["layers"]} <= titles
    assert said["layers"]
    for each in said["layers"]:
        assert each["provider"] == provider
        assert each["valid"], each
        assert each["colours"] > 1, each  # something was drawn on the white ground


@pytest.mark.parametrize(
    ("format_id", "name"), [("geojson", "found.geojson"), ("csv", "found.csv")]
)
def test_gdal_reads_the_table(
    identify: Identify, tmp_path: Path, format_id: str, name: str
) -> None:
    service = pick(identify(MAPSERV.format("WMS", "1.3.0")), "wms")
    file = write(service, format_id, tmp_path / name)
    command = ["ogrinfo", "-al", "-so", str(file)]
    run = subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=False
    )
    assert run.returncode == 0, run.stderr
    assert "Feature Count: 1" in run.stdout
    assert "endpoint: String" in run.stdout
    if format_id == "geojson":
        assert "Geometry: Polygon" in run.stdout
