"""What one request may cost at most, in time and bytes."""

from __future__ import annotations

from dataclasses import dataclass

KIB = 1024
MIB = 1024 * KIB
MAX_WIRE_BYTES = 50 * MIB  # where the settings do not want more of a service


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds of one fetch; those without a default are settings.

    `total_s`, `redirects` and nothing else count over all its redirects.
    """

    connect_s: float  # name, TCP and TLS
    # from the start of the request to the first complete header line
    first_byte_s: float
    # a window this long must bring `stall_bytes_per_s` on average
    stall_s: float = 10.0
    drip_s: float = 4.0  # and one this long too, if what it brings comes drop by drop: that is no server thinking
    stall_bytes_per_s: int = 1000
    crowded_bytes_per_s: int = 50_000  # instead, of an answer that holds much of the budget while others wait for it
    total_s: float
    max_bytes: int = 20 * MIB  # decoded body kept; more is cut off and marked
    # body as sent: stops streams that unpack to nothing
    max_wire_bytes: int = MAX_WIRE_BYTES
    max_header_bytes: int = 64 * KIB
    max_headers: int = 200
    redirects: int = 5
    # not of one fetch but of all: what is held of answers, as bytes and text
    max_bytes_in_flight: int
