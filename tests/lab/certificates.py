"""Certificates that nobody should accept."""

from __future__ import annotations

import subprocess
from pathlib import Path


def expired_certificate(folder: Path) -> tuple[Path, Path]:
    """Key and certificate for this machine, of an authority (ca.pem); it ended yesterday."""
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    (folder / "ext").write_text("subjectAltName=IP:127.0.0.1\n")
    authority = (
        "req",
        "-x509",
        *key,
        "-keyout",
        "ca.key",
        "-out",
        "ca.pem",
        "-subj",
        "/CN=Test CA",
        "-days",
        "9",
    )
    asked = (
        "req",
        *key,
        "-keyout",
        "old.key",
        "-out",
        "old.csr",
        "-subj",
        "/CN=127.0.0.1",
    )
    sign = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "ext")
    signed = ("x509", "-req", "-in", "old.csr", *sign, "-days", "-1", "-out", "old.pem")
    for words in (authority, asked, signed):
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)
    return folder / "old.key", folder / "old.pem"
