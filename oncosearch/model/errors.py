"""The error tree: every error that a user can cause derives from ``OncosearchError``."""

from __future__ import annotations


class OncosearchError(Exception):
    """An error that a user can mend.

    Parameters
    ----------
    message
        One English sentence or two: what was found, what was expected, what to do.
    code
        Stable key under which a screen finds its own wording; ``values`` fill its placeholders.
    """

    code = "error"

    def __init__(self, message: str, *, code: str | None = None, **values: object) -> None:
        super().__init__(message)
        if code is not None:
            self.code = code
        self.values = values


class UsageError(OncosearchError):
    """A parameter, query or command that cannot be carried out as given."""

    code = "usage"


class ImportRefusedError(OncosearchError):
    """A file or folder that failed its checks; nothing of it was stored."""

    code = "import_refused"


class StoreError(OncosearchError):
    """The store cannot be opened, is of another version, or refused a write."""

    code = "store"


class NotFoundError(OncosearchError):
    """A graph, snapshot, node, run or record that is not in the store."""

    code = "not_found"


class ModelUnavailableError(OncosearchError):
    """An embedding model that cannot be used on this machine, with the way to get it."""

    code = "model_unavailable"


class ArtefactMismatchError(OncosearchError):
    """A file on disk that was made from something else than what is asked for now."""

    code = "artefact_mismatch"
