"""The command line as a module: ``python -m empirisk.cli`` is ``empirisk``."""

from empirisk.cli import main

if __name__ == "__main__":
    main()
