"""The fault catalogue: faults of files and machines, and what reads or writes files."""
