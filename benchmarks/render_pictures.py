"""The pictures of the book: each is drawn anew, and compared with its file; see render.py."""

import pictures.encode
import pictures.pretokenize
import pictures.start
import pictures.train

MAKERS = ()
PICTURES = (*pictures.start.PICTURES, *pictures.train.PICTURES, *pictures.pretokenize.PICTURES,
            *pictures.encode.PICTURES)
