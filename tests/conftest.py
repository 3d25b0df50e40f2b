"""What holds for every test: how hard the fuzzing tests try."""

from __future__ import annotations

from fuzzing import register_profiles

register_profiles()
