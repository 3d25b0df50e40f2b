"""Wiring: each part made as the settings say. The only package that knows stores, network and registries together.

A part is imported where it is made, so that a search does not load the network, nor a crawl the index.
"""

from geohound.net.clock import CLOCK
from geohound.stores.address import is_postgres, without_password

from .catalogue import (
    OpenCatalogue,
    background_indexer,
    copy_catalogue,
    has_catalogue,
    open_catalogue,
    open_store,
)
from .locations import locations_folder, locator
from .network import (
    fetcher,
    find_browser,
    page_runner,
    politeness,
    politeness_policy,
    search_fetcher,
    share_memory_between_threads,
    task_politeness,
)
from .registries import (
    address_book,
    classifier,
    crawl_order,
    exporters,
    harvest_recipe,
    harvesters,
    kinds,
    orders,
    searchers,
    seeds_of_list,
    snippets,
    topics,
)
from .relaying import Relay
from .tasks import (
    divided_runner,
    ended_visits,
    examiner,
    hosts_left,
    local_examiner,
    new_task,
    queue_monitor,
    task_hosts,
    task_runner,
    visits,
)

__all__ = [
    "CLOCK",
    "OpenCatalogue",
    "Relay",
    "address_book",
    "background_indexer",
    "classifier",
    "copy_catalogue",
    "crawl_order",
    "divided_runner",
    "ended_visits",
    "examiner",
    "exporters",
    "fetcher",
    "find_browser",
    "harvest_recipe",
    "harvesters",
    "has_catalogue",
    "hosts_left",
    "is_postgres",
    "kinds",
    "local_examiner",
    "locations_folder",
    "locator",
    "new_task",
    "open_catalogue",
    "open_store",
    "orders",
    "page_runner",
    "politeness",
    "politeness_policy",
    "queue_monitor",
    "search_fetcher",
    "searchers",
    "seeds_of_list",
    "share_memory_between_threads",
    "snippets",
    "task_hosts",
    "task_politeness",
    "task_runner",
    "topics",
    "visits",
    "without_password",
]
