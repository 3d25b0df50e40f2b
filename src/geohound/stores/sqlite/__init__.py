"""Frontier, tasks and catalogue in one SQLite file."""

from geohound.model.task import TaskState

from .bounds import Bounds
from .catalogue import SqliteCatalogue
from .database import StoreError
from .frontier import SqliteFrontier
from .store import Store, open_store
from .tasks import Task, Tasks
from .visits import VisitRecord

__all__ = [
    "Bounds", "SqliteCatalogue", "SqliteFrontier", "Store", "StoreError", "Task", "TaskState", "Tasks",
    "VisitRecord", "open_store",
]  # fmt: skip
