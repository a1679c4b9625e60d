"""The catalogue of data sets, and finding their files on this machine."""
