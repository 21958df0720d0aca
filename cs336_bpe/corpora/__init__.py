"""Corpora: generated, fetched, sampled."""
