"""Jobs: their definitions, how those are stored and read, what functions they call, how they stand."""
