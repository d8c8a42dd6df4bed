"""`python -m lantable`: the one upward import of the core, for people without the script on their PATH."""

import sys

from lantable_console.cli import main

if __name__ == "__main__":
    sys.exit(main())
