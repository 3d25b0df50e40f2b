"""The orders that are compared: the published ones, the adaptive one told which hosts have services, and ablations."""

from __future__ import annotations

from collections.abc import Callable

from simulated import MinedWeb

from geohound.contracts import Order
from geohound.orders.adaptive import Adaptive, Parts
from geohound.orders.atf import Atf
from geohound.orders.backlink import Backlink
from geohound.orders.best_first import BestFirst
from geohound.orders.depth_first import DepthFirst
from geohound.orders.fifo import Fifo
from geohound.orders.opic import Opic
from geohound.orders.oss import OssGroups
from geohound.orders.polarhub import PolarHub
from geohound.orders.shark import Shark

PUBLISHED: dict[str, Callable[[], Order]] = {
    "fifo": Fifo,
    "depth_first": DepthFirst,
    "backlink": Backlink,
    "opic": Opic,
    "polarhub": PolarHub,
    "oss": OssGroups,
    "atf": Atf,
    "shark": Shark,
    "best_first": BestFirst,
}
ABLATIONS: dict[str, Callable[[], Order]] = {
    "everything": Adaptive,
    "no estimate of hosts": lambda: Adaptive(Parts(hosts=False)),
    "no prior": lambda: Adaptive(Parts(prior=False)),
    "no learning": lambda: Adaptive(Parts(learning=False)),
    "no reviews": lambda: Adaptive(Parts(reviews=False)),
    "no words of the anchor": lambda: _without("a", "anchor"),
    "no words of the URL": lambda: _without("u", "url", "file"),
    "no words of the host name": lambda: _without("h", "hostname", "tld"),
    "no title and text of the page": lambda: _without("t", "title", "text", "lang"),
    "no shape of the URL": lambda: _without("shape", "folder"),
    "no software": lambda: _without("software"),
}


def _without(*features: str) -> Adaptive:
    return Adaptive(Parts(without=frozenset(features)))


class Told(Adaptive):
    """The adaptive order, but hosts with services go before all others: what is possible for who knows the hosts."""

    def __init__(self, web: MinedWeb) -> None:
        super().__init__()
        self._rich = {node.host for node in web.nodes if node.services}

    def host_bonus(self, host: str) -> float:
        return super().host_bonus(host) + (8.0 if host in self._rich else 0.0)
