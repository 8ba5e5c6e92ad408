"""The command line: the same functions as the app's, without a screen."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence

from oncosearch.model import OncosearchError

FAILED = 2
INTERRUPTED = 130
PIPE_CLOSED = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Return the exit status of a command: 0, or 1 where a replay differs, 2 after an error, 130 after Ctrl-C.

    Errors that a user can mend are one line on stderr; a reader that stops reading (``| head``) is no error.
    """
    _speak_utf8()
    try:
        status = _status(argv)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        # Python flushes stdout once more on its way out, which must not fail a second time.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED


def _status(argv: Sequence[str] | None) -> int:
    try:
        return _run(argv)
    except BrokenPipeError:
        raise
    except KeyboardInterrupt:
        print("\noncosearch: interrupted; what was finished is kept.", file=sys.stderr)
        return INTERRUPTED
    except OncosearchError as error:
        return _failed(str(error))
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _failed(f"{where}{error.strerror or error}")


def _run(argv: Sequence[str] | None) -> int:
    # Imported here, so that Ctrl-C while modules load is caught as well.
    from oncosearch.cli.parser import build_parser

    try:
        arguments = build_parser().parse_args(argv)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 0
    status: int = arguments.run(arguments)
    return status


def _failed(message: str) -> int:
    from oncosearch.cli.terminal import plain

    sys.stdout.flush()
    print(f"oncosearch: {plain(message)}", file=sys.stderr)
    return FAILED


def _speak_utf8() -> None:
    """Write UTF-8 whatever the locale; a lone surrogate is escaped, in the way that JSON escapes it too."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
