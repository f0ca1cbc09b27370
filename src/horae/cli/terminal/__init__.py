"""Input and output of all commands: prompts, completion, times as people write them, tables, progress."""
