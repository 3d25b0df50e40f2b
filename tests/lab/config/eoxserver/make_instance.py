"""Makes an EOxServer instance with one coverage, in one process: each start of its own commands takes seconds."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

HOME = Path("${home}")
script = Path(sys.executable).with_name("eoxserver-instance.py")
# Its exit code says nothing: it stumbles over its own options after the work is done.
subprocess.run(
    [sys.executable, script, "baltic", HOME, "--init-spatialite"],
    check=False,
    capture_output=True,
)
conf = HOME / "baltic/conf/eoxserver.conf"
text = conf.read_text().replace("http://localhost:8000", "${url}")
title = next(line for line in text.splitlines() if line.startswith("title="))
conf.write_text(text.replace(title, "title=Baltic EOxServer"))

sys.path.insert(0, str(HOME))
os.environ["DJANGO_SETTINGS_MODULE"] = "baltic.settings"
import django  # noqa: E402
from django.core.management import call_command  # noqa: E402

django.setup()
# The empty tables are kept with the installed server: making them takes longer than all the rest.
database, kept = HOME / "baltic/data/config.sqlite", Path("${installed}/empty.sqlite")
if kept.exists():
    shutil.copy(kept, database)
else:
    call_command("migrate", interactive=False, verbosity=0)
    shutil.copy(database, kept.with_suffix(".new"))
    kept.with_suffix(".new").replace(kept)
call_command(
    "coveragetype",
    "create",
    "depth_type",
    "--field-type",
    "depth",
    "depth",
    "depth",
    "m",
    "-1",
)
call_command(
    "coverage", "register", "-i", "depth", "-t", "depth_type", "-d", "${data}/depth.tif", "--footprint-from-extent",
    "--begin-time", "2025-06-01T00:00:00Z", "--end-time", "2025-06-02T00:00:00Z",
)  # fmt: skip
call_command("visibility", "depth", "--wcs", "--wms")
