"""`python -m withhold` is the command `withhold`."""

import sys

from withhold.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
