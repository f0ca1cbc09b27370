"""Functions that are registered, but that no worker of `horae up` has."""

import horae


@horae.task
def no_such_function(n: int = 1) -> int:
    """Is nowhere to be found."""
    return n
