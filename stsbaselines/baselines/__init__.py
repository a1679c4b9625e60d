"""One module a baseline; `stsbaselines.predictor.create` finds them by name."""
