"""From a configuration to trained baselines, outputs, scores and the ledger."""
