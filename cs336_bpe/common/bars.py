"""A progress bar on a terminal.

It is apart from `progress.py`, because few programs show a bar, and to import `tqdm` takes longer
than to import the rest of this package.
"""

from tqdm import tqdm


class Bar(tqdm):  # type: ignore[misc]
    """A progress bar without tqdm's monitor, a thread that would outlive it."""

    monitor_interval = 0
