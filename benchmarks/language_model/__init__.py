"""A small language model as an instrument: it turns a tokenizer into bits per byte.

    model.py        the Transformer, from a `Shape` of cs336_bpe.cost
    data.py         texts, tokenizers, files of ids, batches
    settings.py     what a run is asked to do
    training.py     the loop, and checkpoints from which it goes on as if nothing had happened
    evaluation.py   bits per byte, computed in two ways
    baselines.py    those of counts, gzip and xz
    __main__.py     `python -m benchmarks.language_model quick`

The experiments are in benchmarks/run_language_model.py, the chapter is docs/language_model.md.

If you take CS336, write your own first: the model and the loop are its first assignment.
"""
