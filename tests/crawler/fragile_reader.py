"""A process as the pool starts it, whose pages can end it, block it or surprise it."""

import asyncio
import os
import socket
import sys
import time

from geohound.crawler.workers.loop import serve
from geohound.model.crawl.job import PageRead, Report
from geohound.model.visit import Link, LinkPlace, Page
from geohound.politeness import VisitFacts


class Fragile:
    def __init__(self, reading, turns):
        self.reading = reading
        self.turns = turns

    async def examine(self, job):
        await asyncio.sleep(0.01)
        self.reading(job)
        if "/bomb" in job.url:
            os.abort()
        if "/endless" in job.url:
            time.sleep(60)
        if "/nap" in job.url:
            time.sleep(0.4)
        self.reading(None)
        if "/turn" in job.url:
            return await self.ask(job.url.partition("/turn/")[2])
        if "/slow" in job.url:
            await asyncio.sleep(60)
        link = Link(job.url + "x", "words", "more", LinkPlace.SITEMAP, False, 7)
        return Report(
            PageRead(page=Page(job.url, title=str(os.getpid())), links=(link,)), 200
        )

    async def ask(self, host):
        """One request to another host, which takes as long as the host says."""
        seconds = float(host.partition("-")[2] or 0)
        wait_s = await self.turns.turn(host, None, 5.0)
        await asyncio.sleep(seconds)
        if not wait_s:
            self.turns.done(host, VisitFacts())
        return Report(PageRead(), 200, wait_s)

    async def close(self):
        pass


async def build(setup, reading, turns):
    if setup == b"cannot":
        sys.exit(3)
    return Fragile(reading, turns)


if __name__ == "__main__":
    asyncio.run(serve(socket.socket(fileno=int(sys.argv[1])), int(sys.argv[2]), build))
