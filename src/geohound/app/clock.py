"""The time that all parts of a process share."""

from geohound.net.clock import SystemClock

CLOCK = SystemClock()
