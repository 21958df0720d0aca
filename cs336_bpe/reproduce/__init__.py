"""Published experiments on your machine: their figures, what runs for each, and verdicts."""
