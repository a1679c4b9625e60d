"""Files: lines in, whole files out, and YAML and JSON read into models."""
