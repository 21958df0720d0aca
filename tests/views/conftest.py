"""The tokenizers that are looked at."""

from tokenizers_to_look_at import large, nasty, trained  # noqa: F401 (fixtures)
