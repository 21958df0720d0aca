"""Tokens in colour: in the terminal and in a notebook."""
