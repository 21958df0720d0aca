"""Plumbing that knows nothing of BPE: files, progress, tables."""
