"""Which real servers the lab has: how each is prepared and started, and what shows that it is up."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
Command = tuple[str, ...]


@dataclass(frozen=True)
class Server:
    """One server; its words may hold ${home}, ${data}, ${lab}, ${installed}, ${bin}, ${port} and ${url}.

    ${NAME_url} and ${NAME_port} stand for those of another server.
    """

    name: str
    command: Command
    ready: str = ""  # path that answers 200 once the server is up
    ready_command: Command = ()  # for a server that speaks no HTTP
    prepare: tuple[Command, ...] = ()
    afterwards: tuple[Command, ...] = ()  # once it is up
    needs: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)


_IS_ROOT = os.geteuid() == 0
# PostgreSQL refuses to run as root; setpriv becomes the server, so that its process id is the one we stop.
_AS_POSTGRES: Command = (
    ("setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--reset-env")
    if _IS_ROOT
    else ()
)
_PG_BIN = "/usr/lib/postgresql/15/bin"
_PG_ENV = {
    "PGHOST": "127.0.0.1",
    "PGPORT": "${postgres_port}",
    "PGUSER": "postgres",
    "PGPASSWORD": "none",
}
_GUNICORN = (
    "${bin}/gunicorn",
    "--workers",
    "1",
    "--threads",
    "4",
    "--bind",
    "127.0.0.1:${port}",
)
_UVICORN = ("${bin}/uvicorn", "--host", "127.0.0.1", "--port", "${port}")
_FORECAST = ("${bin}/python", "${lab}/make_forecast.py", "${home}/served/forecast.nc")

SERVERS = (
    Server(
        "postgres",
        (*_AS_POSTGRES, f"{_PG_BIN}/postgres", "-D", "${home}/data", "-p", "${port}",
         "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "fsync=off",
         "-c", "shared_buffers=32MB"),
        ready_command=(f"{_PG_BIN}/pg_isready", "-q", "-h", "127.0.0.1", "-p", "${port}"),
        prepare=(
            *([("chown", "postgres", "${home}")] if _IS_ROOT else []),
            (*_AS_POSTGRES, f"{_PG_BIN}/initdb", "-D", "${home}/data", "-U", "postgres", "-A", "trust", "-E", "UTF8",
             "--locale=C.UTF-8", "--no-sync"),
        ),
    ),
    Server(
        "mapserver",
        ("/usr/sbin/lighttpd", "-D", "-f", "${home}/lighttpd.conf"),
        "/cgi-bin/mapserv?map=BALTIC&service=WMS&request=GetCapabilities",
    ),
    Server(
        "qgis",
        ("/usr/bin/qgis_mapserver", "127.0.0.1:${port}"),
        "/?service=WMS&request=GetCapabilities",
        prepare=(("/usr/bin/python3", "${home}/make_project.py"),),
        env={"QT_QPA_PLATFORM": "offscreen", "QGIS_PROJECT_FILE": "${home}/baltic.qgs", "HOME": "${home}"},
    ),
    Server(
        "mapproxy",
        ("${bin}/waitress-serve", "--listen", "127.0.0.1:${port}", "app:application"),
        "/",
        needs=("mapserver",),
    ),
    Server(
        "pycsw",
        (*_GUNICORN, "pycsw.wsgi:application"),
        "/csw?service=CSW&version=2.0.2&request=GetCapabilities",
        prepare=(("${bin}/python", "${home}/load.py"),),
        env={"PYCSW_CONFIG": "${home}/pycsw.cfg"},
    ),
    Server("pywps", (*_GUNICORN, "app:application"), "/wps?service=WPS&request=GetCapabilities"),
    Server(
        "pygeoapi",
        (*_GUNICORN, "pygeoapi.flask_app:APP"),
        "/conformance?f=json",
        prepare=(
            _FORECAST,
            # As JSON: writing and reading it again as YAML takes seconds.
            ("${bin}/pygeoapi", "openapi", "generate", "${home}/config.yml", "--format", "json",
             "--output-file", "${home}/openapi.json"),
        ),
        env={"PYGEOAPI_CONFIG": "${home}/config.yml", "PYGEOAPI_OPENAPI": "${home}/openapi.json"},
    ),
    Server("sensorthings", (*_GUNICORN, "app:application"), "/sensors/v1.1/Things"),
    Server(
        "koop",
        ("node", "${home}/server.js"),
        "/file-geojson/rest/info",
        env={"NODE_PATH": "${installed}/node_modules", "SUPPRESS_NO_CONFIG_WARNING": "1"},
    ),
    Server(
        "pydap",
        ("${bin}/pydap", "-b", "127.0.0.1", "-p", "${port}", "-d", "${home}/served"),
        "/forecast.nc.dds",
        prepare=(_FORECAST,),
    ),
    Server(
        "stac",
        (*_UVICORN, "--factory", "stac_fastapi.pgstac.app:create_app"),
        "/conformance",
        prepare=(
            (f"{_PG_BIN}/createdb", "stac"),
            ("${bin}/pypgstac", "migrate"),
        ),
        afterwards=(("${bin}/python", "${home}/load.py"),),
        needs=("postgres",),
        env={
            **_PG_ENV,
            "PGDATABASE": "stac",
            "ENABLE_TRANSACTIONS_EXTENSIONS": "TRUE",
            "STAC_FASTAPI_TITLE": "Baltic STAC",
            "STAC_FASTAPI_DESCRIPTION": "Scenes of a small Baltic Sea.",
        },
    ),
    Server(
        "tipg",
        (*_UVICORN, "tipg.main:app"),
        "/conformance",
        prepare=(
            (f"{_PG_BIN}/createdb", "-T", "template0", "baltic"),
            (f"{_PG_BIN}/psql", "-q", "-d", "baltic", "-c", "create extension postgis"),
            ("ogr2ogr", "-f", "PostgreSQL", "PG:dbname=baltic", "${data}/harbours.geojson", "-nln", "harbours"),
            ("ogr2ogr", "-f", "PostgreSQL", "PG:dbname=baltic", "${data}/basins.geojson", "-nln", "basins"),
        ),
        needs=("postgres",),
        env={
            **_PG_ENV,
            "DATABASE_URL": "postgresql://postgres:none@127.0.0.1:${postgres_port}/baltic",
            "TIPG_NAME": "Baltic TiPg",
            "TIPG_DB_EXCLUDE_FUNCTION_SCHEMAS": '["public"]',  # else the functions of PostGIS are collections
        },
    ),
    Server(
        "eoxserver",
        (*_GUNICORN, "baltic.wsgi:application"),
        "/ows?service=WCS&version=2.0.1&request=GetCapabilities",
        prepare=(("${bin}/python", "${home}/make_instance.py"),),
        env={"DB": "spatialite", "ALLOWED_HOSTS": "127.0.0.1"},
    ),
    Server(
        "searx_index",
        ("/usr/bin/python3", "${home}/index.py", "${port}"),
        "/",
    ),
    Server(
        "searx",
        ("/usr/bin/python3", "-m", "searx.webapp"),
        "/search?q=harbour&format=json",
        needs=("searx_index",),
        env={"SEARX_SETTINGS_PATH": "${home}/settings.yml"},
    ),
)  # fmt: skip
