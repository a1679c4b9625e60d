"""One module a task family: how its files are read, written, checked and scored."""
