"""What a vocabulary costs, and what it gains."""
