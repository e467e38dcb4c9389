"""``python -m ludus`` is the same as ``ludus``."""

from ludus.cli.main import main

if __name__ == "__main__":
    main()
