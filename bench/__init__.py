"""Measures Horae's figures: `make bench`, or one at a time by `python -m bench drain`. See README.md."""
