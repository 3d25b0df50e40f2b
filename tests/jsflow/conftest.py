"""The apps with known truth stand beside the tests of mining: tests are no packages."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "mining"))
