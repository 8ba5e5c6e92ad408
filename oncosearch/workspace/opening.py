"""Opening a workspace as the settings say."""

from __future__ import annotations

from oncosearch.model import StoreError
from oncosearch.settings import Settings
from oncosearch.store import open_store
from oncosearch.workspace.workspace import Workspace


def open_workspace(settings: Settings) -> Workspace:
    """Return a workspace over the store that the settings name; cheap, nothing is loaded yet."""
    try:
        settings.home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"{settings.home} cannot be used as the folder of oncosearch's data ({error.strerror}). "
            "Set ONCOSEARCH_HOME to a folder that you may write to.",
            code="home_unusable",
            home=str(settings.home),
        ) from error
    return Workspace(settings, open_store(settings))
