"""C and Unicode tables that more than one ladder uses."""
