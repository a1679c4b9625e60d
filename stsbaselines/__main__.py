"""``python -m stsbaselines``."""

from stsbaselines.cli import main

main()
