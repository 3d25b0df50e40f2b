"""A red picture that a server of maps gives, and whether a map of the portal shows it."""

from __future__ import annotations

import struct
import zlib

from playwright.sync_api import Page

RED = (230, 20, 20)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + _checksum(name + data)


def _checksum(data: bytes) -> bytes:
    return struct.pack(">I", zlib.crc32(data))


def red_picture(side: int = 256) -> bytes:
    row = b"\0" + bytes(RED) * side
    size = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    parts = (_chunk(b"IHDR", size), _chunk(b"IDAT", zlib.compress(row * side)))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts) + _chunk(b"IEND", b"")


def has_red(page: Page) -> bool:
    """Is a good part of the map red?"""
    shot = page.locator("[data-map]").screenshot()
    script = """async (bytes) => {
      const picture = await createImageBitmap(new Blob([new Uint8Array(bytes)]));
      const canvas = new OffscreenCanvas(picture.width, picture.height), context = canvas.getContext('2d');
      context.drawImage(picture, 0, 0);
      const data = context.getImageData(0, 0, picture.width, picture.height).data;
      let red = 0;
      for (let at = 0; at < data.length; at += 4) if (data[at] > 200 && data[at + 1] < 80 && data[at + 2] < 80) red++;
      return red / (data.length / 4);
    }"""
    share: float = page.evaluate(script, list(shot))
    return share > 0.2
