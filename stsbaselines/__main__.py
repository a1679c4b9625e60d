"""``python -m stsbaselines``."""

from stsbaselines.cli import main

if __name__ == "__main__":
    main()
