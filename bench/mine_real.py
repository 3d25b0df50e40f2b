"""How many services of map pages of public projects are found, and how many addresses would be tested for them.

The pages are not part of the repository, since they are other people's work: they were gathered from public projects,
labelled by reading them and split once, by the SHA-256 of the project's name, into a half to work on and one of which
nobody who works on mining is told more than sums. What this program expects is a folder of them:

- `PAGES/PROJECT/index.html`, the page, and below `PROJECT/` its scripts and configuration at the paths by which the page
  asks for them (a path from the root of the host begins there); what is missing, as libraries of other hosts, answers 404;
- `PAGES/PROJECT/labels.json`, `{"services": [{"addresses": [...], "kind": "wms", "written": "variable", "use": "used"}]}`,
  each service once, under every address that is right. `{page-host}` stands for the page's host, the kind `xyz` for
  templates of tiles, which are counted apart. Of the uses only `used` is asked for; what is `mentioned`, `local` (an
  address of the author's own machine) or decided by a user's `input` is neither missed nor wrong.

Addresses are compared as in `bench/mine_apps.py`, whose measuring this is.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from app_pages import App, Label, Page  # noqa: E402
from mine_apps import add_options, keep, measure_all  # noqa: E402


@dataclass(frozen=True, slots=True)
class RealPage(Page):
    """The page of a project, alone on its host."""

    @property
    def name(self) -> str:
        return self.app.name

    @property
    def url(self) -> str:
        return f"http://{self.app.host}/index.html"

    @property
    def root(self) -> Path:
        return self.folder


def load(folder: Path) -> list[Page]:
    """All labelled pages of a folder, in the order of their names."""
    names = sorted(path.parent for path in folder.glob("*/labels.json"))
    return [read(path) for path in names if (path / "index.html").is_file()]


def read(folder: Path) -> Page:
    app = App(folder.name, "", style="real")
    said = json.loads((folder / "labels.json").read_text("utf-8"))
    app.labels = [_label(service, app.host) for service in said["services"]]
    return RealPage(app, "", folder)


def _label(service: dict[str, Any], host: str) -> Label:
    return Label(
        kind="tiles" if service["kind"] == "xyz" else service["kind"],
        use="used" if service["use"] == "used" else "mentioned",
        cause=service["written"],
        addresses=tuple(a.replace("{page-host}", host) for a in service["addresses"]),
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", type=Path, help="the folder of the projects")
    parser.add_argument("--page", help="only projects whose name holds this")
    parser.add_argument(
        "--sums-only",
        action="store_true",
        help="tell no address, and not how what was missed is written",
    )
    parser.add_argument("--commit", default="", help="the commit that is measured")
    add_options(parser)
    return parser.parse_args()


def main() -> None:
    args = _arguments()
    pages = [p for p in load(args.pages) if not args.page or args.page in p.name]
    labels = sum(len(page.app.labels) for page in pages)
    print(f"{args.pages.name}: {len(pages)} projects, {labels} labels")
    told = measure_all(args, pages, not args.sums_only)
    if args.results:
        words = ["python bench/mine_real.py", args.pages.name, *sys.argv[2:]]
        projects = {page.name: len(page.app.labels) for page in pages}
        figures = {"commit": args.commit, "projects": projects, "ways": told}
        keep(args.results, " ".join(words), figures)


if __name__ == "__main__":
    main()
