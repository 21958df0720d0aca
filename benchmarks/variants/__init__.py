"""Versions of a stage with something taken away or changed, to measure what it gains."""
