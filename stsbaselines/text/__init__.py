"""What baselines share about language: tokenizers and stemmers."""
