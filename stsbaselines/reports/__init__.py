"""Results as text, tables, pages and plots."""
