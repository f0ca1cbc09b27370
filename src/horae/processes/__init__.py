"""The two kinds of background process. A process is a few loops over verbs; `loop.py` has the only `while`."""
