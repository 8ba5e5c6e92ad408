"""A MongoDB server for the readers, as the stores have it."""

from tests.store.conftest import mongo_address, mongo_database

__all__ = ["mongo_address", "mongo_database"]
