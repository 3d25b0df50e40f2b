"""Writes the project that QGIS Server publishes; Debian's Python has the bindings for it."""

import os

os.environ["QT_QPA_PLATFORM"] = "offscreen"
from qgis.core import (
    QgsApplication,
    QgsCoordinateReferenceSystem,
    QgsProject,
    QgsRasterLayer,
    QgsVectorLayer,
)

application = QgsApplication([], False)
application.initQgis()
project = QgsProject.instance()
project.setCrs(QgsCoordinateReferenceSystem("EPSG:4326"))
depth = QgsRasterLayer("${data}/depth.tif", "depth")
basins = QgsVectorLayer("${data}/baltic.gpkg|layername=basins", "basins", "ogr")
harbours = QgsVectorLayer("${data}/baltic.gpkg|layername=harbours", "harbours", "ogr")
for layer, title in ((depth, "Sea depth"), (basins, "Basins"), (harbours, "Harbours")):
    assert layer.isValid(), layer.name()
    layer.setTitle(title)
    project.addMapLayer(layer)
ids = [layer.id() for layer in (depth, basins, harbours)]
project.writeEntryBool("WMSServiceCapabilities", "/", True)
project.writeEntry("WMSServiceTitle", "/", "Baltic QGIS")
project.writeEntry("WMSServiceAbstract", "/", "A project of a small Baltic Sea.")
project.writeEntry("WMSExtent", "/", ["12", "54", "27", "64"])
project.writeEntry("WMSCrsList", "/", ["EPSG:4326", "EPSG:3857"])
project.writeEntry("WFSLayers", "/", ids[1:])
project.writeEntry("WCSLayers", "/", ids[:1])
for kind in ("WMTSLayers", "WMTSPngLayers"):
    project.writeEntryBool(kind, "Project", True)
    project.writeEntry(kind, "Layer", ids)
project.writeEntry("WMTSGrids", "CRS", ["EPSG:3857"])
project.writeEntry(
    "WMTSGrids", "Config", ["EPSG:3857,20037508.3427,-20037508.3427,559082264.028,18"]
)
assert project.write("${home}/baltic.qgs")
application.exitQgis()
