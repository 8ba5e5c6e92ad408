"""``python -m oncosearch``: the command line."""

import sys

from oncosearch.cli import main

if __name__ == "__main__":
    sys.exit(main())
