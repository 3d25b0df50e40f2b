"""The built styles and scripts: which file each entry has become, and what to do where none is built."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

STATIC_DIR = Path(__file__).parent / "static"
_MANIFEST = ".vite/manifest.json"
_ENTRY = "src/portal.ts"
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Assets:
    """The addresses that the page's head names."""

    scripts: tuple[str, ...] = ()
    styles: tuple[str, ...] = ()
    icon: str = ""


def load_assets(folder: Path = STATIC_DIR) -> Assets:
    """What the last build left; nothing, and a sentence in the log, where there is no build."""
    try:
        entry: dict[str, Any] = json.loads(
            (folder / _MANIFEST).read_text(encoding="utf-8")
        )[_ENTRY]
        scripts, styles = (entry["file"],), tuple(entry.get("css", ()))
    except (OSError, ValueError, KeyError, TypeError):
        _log.warning(
            "The pages have no styles and no map: no build found in %s; run make frontend.",
            folder,
        )
        return Assets()
    icon = "/static/favicon.svg" if (folder / "favicon.svg").is_file() else ""
    return Assets(
        tuple(f"/static/{s}" for s in scripts),
        tuple(f"/static/{s}" for s in styles),
        icon,
    )


def land_file(folder: Path = STATIC_DIR) -> Path:
    """The outlines of countries, for maps that are drawn here; a file that is not there where nothing is built."""
    return next(
        iter(sorted((folder / "assets").glob("countries-110m*.json"))),
        folder / "no outlines",
    )


class BuiltFiles(StaticFiles):
    """Serves the build; hashed files never change under their name and may be kept for good."""

    def __init__(self, folder: Path = STATIC_DIR) -> None:
        super().__init__(directory=folder, check_dir=False)
        # otherwise the first request fails where nothing has been built
        self.config_checked = True

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        hashed = path.startswith("assets/") and response.status_code in (200, 304)
        response.headers["Cache-Control"] = (
            "public, max-age=31536000, immutable" if hashed else "no-cache"
        )
        return response
