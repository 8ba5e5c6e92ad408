"""Where graphs, judgements, runs and searches are kept: one protocol each, a SQLite and a MongoDB adapter."""

from oncosearch.model import StoreError
from oncosearch.settings import Settings
from oncosearch.store.checks import difference
from oncosearch.store.protocols import AuditStore, DuplicateStore, GraphStore, ReviewStore, RunStore, Store

__all__ = [
    "AuditStore",
    "DuplicateStore",
    "GraphStore",
    "ReviewStore",
    "RunStore",
    "Store",
    "difference",
    "open_store",
]


def open_store(settings: Settings) -> Store:
    """Return the store that the settings name, opened and brought up to the present version.

    MongoDB where ``settings.store`` has an address, else the SQLite file ``oncosearch.db`` in ``settings.home``.

    Raises
    ------
    StoreError
        If it cannot be opened or reached, or was written by a newer version of the program.
    """
    if settings.store is None:
        from oncosearch.store.sqlite import SqliteStore

        return SqliteStore.open(settings.home)
    try:
        from oncosearch.store.mongo import MongoStore
    except ModuleNotFoundError as error:
        raise StoreError(
            "ONCOSEARCH_STORE names a MongoDB server, but the package pymongo is not installed. "
            "Install it (python -m pip install pymongo) or leave ONCOSEARCH_STORE empty."
        ) from error
    return MongoStore.open(settings.store)
