"""Writes a small wave forecast as netCDF; runs in the environment of a server, which has the library for it."""

import sys
from pathlib import Path

import netCDF4

SIZES = {"time": 3, "lat": 11, "lon": 16}
UNITS = {
    "time": "hours since 2025-06-01 00:00:00",
    "lat": "degrees_north",
    "lon": "degrees_east",
}
VALUES = {"time": [0, 6, 12], "lat": range(54, 65), "lon": range(12, 28)}


def write(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with netCDF4.Dataset(str(path), "w") as file:
        file.title = "Baltic wave forecast"
        file.summary = "Wave height of a small Baltic Sea, every six hours."
        file.institution = "Baltic Lab"
        file.geospatial_lon_min, file.geospatial_lon_max = 12.0, 27.0
        file.geospatial_lat_min, file.geospatial_lat_max = 54.0, 64.0
        for name, size in SIZES.items():
            file.createDimension(name, size)
            axis = file.createVariable(name, "f8", (name,))
            axis.units = UNITS[name]
            axis[:] = list(VALUES[name])
        waves = file.createVariable("wave_height", "f4", tuple(SIZES))
        waves.units, waves.long_name = "m", "Significant wave height"
        waves[:] = 1.5


write(Path(sys.argv[1]))
