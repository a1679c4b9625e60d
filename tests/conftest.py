"""The plugin serves also the documentation and the docstrings, outside of this folder."""

pytest_plugins = ["tests.plugin"]
