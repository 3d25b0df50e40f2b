"""Which sockets of libcurl the event loop listens to, and how libcurl learns what happened there."""

from __future__ import annotations

import asyncio
import contextlib
import select
from collections.abc import Callable
from typing import Protocol

import pycurl

Ready = tuple[tuple[int, int], ...]  # sockets, and what libcurl should know of each
Act = Callable[[Ready], None]


class SocketWatcher(Protocol):
    """What libcurl calls when it wants to hear of a socket. It is busy in a call of ours then: do not call it back."""

    def watch(self, event: int, fd: int, _multi: object, _data: object) -> None: ...

    def close(self) -> None: ...


def watcher(loop: asyncio.AbstractEventLoop, act: Act) -> SocketWatcher:
    """The cheapest one that this machine has."""
    return (
        EpollWatcher(loop, act) if hasattr(select, "epoll") else LoopWatcher(loop, act)
    )


class EpollWatcher:
    """An epoll set of our own, of which the loop hears as a whole: many sockets in one turn, few calls of the kernel.

    libcurl lets go of a socket after every answer and takes it up again with the next request. The socket stays in the
    set meanwhile; the kernel itself forgets it when it is closed. In the loop's own set that would be dangerous: its
    number may be somebody else's by then.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, act: Act) -> None:
        self._loop = loop
        self._act = act
        self._epoll = select.epoll()
        self._events = {
            pycurl.POLL_IN: select.EPOLLIN,
            pycurl.POLL_OUT: select.EPOLLOUT,
            pycurl.POLL_INOUT: select.EPOLLIN | select.EPOLLOUT,
        }
        self._wanted: dict[int, int] = {}  # by socket; those at rest are not in it
        loop.add_reader(self._epoll.fileno(), self._poll)

    def watch(self, event: int, fd: int, _multi: object, _data: object) -> None:
        if event == pycurl.POLL_REMOVE:
            self._wanted.pop(fd, None)
            return
        events = self._events[event]
        self._wanted[fd] = events
        try:
            self._epoll.modify(fd, events)
        except FileNotFoundError:
            self._epoll.register(fd, events)

    def _poll(self) -> None:
        ready = []
        for fd, events in self._epoll.poll(0):
            # at rest: the server hung up, or says what nobody asked for
            if fd not in self._wanted:
                with contextlib.suppress(OSError):
                    self._epoll.unregister(fd)
                continue
            flags = pycurl.CSELECT_IN if events & select.EPOLLIN else 0
            flags |= pycurl.CSELECT_OUT if events & select.EPOLLOUT else 0
            flags |= (
                pycurl.CSELECT_ERR
                if events & (select.EPOLLERR | select.EPOLLHUP)
                else 0
            )
            ready.append((fd, flags))
        if ready:
            self._act(tuple(ready))

    def close(self) -> None:
        if not self._loop.is_closed():
            self._loop.remove_reader(self._epoll.fileno())
        self._epoll.close()


class LoopWatcher:
    """Every socket in the set of the loop itself, for machines without epoll."""

    def __init__(self, loop: asyncio.AbstractEventLoop, act: Act) -> None:
        self._loop = loop
        self._act = act
        self._watched: dict[int, tuple[bool, bool]] = {}

    def watch(self, event: int, fd: int, _multi: object, _data: object) -> None:
        if event == pycurl.POLL_REMOVE:
            self._unwatch(fd)
            return
        wants_in, wants_out = event != pycurl.POLL_OUT, event != pycurl.POLL_IN
        has_in, has_out = self._watched.get(fd, (False, False))
        if wants_in and not has_in:
            self._loop.add_reader(fd, self._act, ((fd, pycurl.CSELECT_IN),))
        elif has_in and not wants_in:
            self._loop.remove_reader(fd)
        if wants_out and not has_out:
            self._loop.add_writer(fd, self._act, ((fd, pycurl.CSELECT_OUT),))
        elif has_out and not wants_out:
            self._loop.remove_writer(fd)
        self._watched[fd] = (wants_in, wants_out)

    def close(self) -> None:
        for fd in list(self._watched):
            self._unwatch(fd)

    def _unwatch(self, fd: int) -> None:
        has_in, has_out = self._watched.pop(fd, (False, False))
        if has_in:
            self._loop.remove_reader(fd)
        if has_out:
            self._loop.remove_writer(fd)
