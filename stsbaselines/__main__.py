"""``python -m stsbaselines``."""

from stsbaselines.cli.main import main

if __name__ == "__main__":
    main()
