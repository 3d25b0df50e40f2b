"""The orders that are compared: the published ones, the adaptive one told which hosts have services, and ablations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from simulated import MinedWeb

from geohound.contracts import Order
from geohound.orders._features import LinkFeatures
from geohound.orders._model import LogisticModel
from geohound.orders._prior import LINKS
from geohound.orders.adaptive import Adaptive
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


class NoHosts(Adaptive):
    def host_bonus(self, host: str) -> float:  # noqa: ARG002
        return 0.0


class NoReviews(Adaptive):
    def revised(self) -> Iterable[tuple[str, float]]:
        return ()


class FewerFeatures(LinkFeatures[int]):
    """Features whose name begins with one of these fields are left out."""

    def __init__(self, make: Callable[[str], int], without: Sequence[str]) -> None:
        super().__init__(make)
        self._left_out = without

    def _named(self, *names: str) -> tuple[int, ...]:
        fields = {name: name.partition(":")[0].partition("=")[0] for name in names}
        return super()._named(*(n for n in names if fields[n] not in self._left_out))


def _without(*fields: str) -> Adaptive:
    order = Adaptive()
    order._features = FewerFeatures(order._model.slots.__getitem__, fields)
    return order


def _with_model(prior: Mapping[str, float], rate: float) -> Adaptive:
    order = Adaptive()
    order._model = LogisticModel(prior, rate, 4.0, 30.0)
    return order


ABLATIONS: dict[str, Callable[[], Order]] = {
    "everything": Adaptive,
    "no estimate of hosts": NoHosts,
    "no prior": lambda: _with_model({"bias": LINKS["bias"]}, 0.3),
    "no learning": lambda: _with_model(LINKS, 0.0),
    "no reviews": NoReviews,
    "no words of the anchor": lambda: _without("a", "anchor"),
    "no words of the URL": lambda: _without("u", "url", "file"),
    "no words of the host name": lambda: _without("h", "hostname", "tld"),
    "no title and text of the page": lambda: _without("t", "title", "text", "lang"),
    "no shape of the URL": lambda: _without("shape", "folder"),
    "no software": lambda: _without("software"),
}


class Told(Adaptive):
    """The adaptive order, but hosts with services go before all others: what is possible for who knows the hosts."""

    def __init__(self, web: MinedWeb) -> None:
        super().__init__()
        self._rich = {node.host for node in web.nodes if node.services}

    def host_bonus(self, host: str) -> float:
        return super().host_bonus(host) + (8.0 if host in self._rich else 0.0)
