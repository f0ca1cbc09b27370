"""Archives: fetched, verified, unpacked and kept by digest, by a process of their own that can be killed."""
