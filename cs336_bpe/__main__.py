import sys

from cs336_bpe.cli import main

if __name__ == "__main__":
    sys.exit(main())
