"""Archives: fetched, verified, unpacked and cached by digest, in a separate process that can be killed."""
