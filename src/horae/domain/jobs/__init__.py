"""Jobs: their definitions, how those are stored and read, the functions they call, their state."""
