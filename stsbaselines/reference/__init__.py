"""The published tables, and ranks in them."""
