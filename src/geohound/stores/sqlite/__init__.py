"""Tasks, log of the frontier and catalogue in one SQLite file."""

from geohound.model.task import TaskState

from .catalogue import SqliteCatalogue
from .database import StoreError
from .store import Store, open_store
from .tasks import Task, Tasks
from .visits import VisitRecord

__all__ = [
    "SqliteCatalogue", "Store", "StoreError", "Task", "TaskState", "Tasks",
    "VisitRecord", "open_store",
]  # fmt: skip
