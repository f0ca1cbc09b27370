"""The command line: a room per subject, a module per noun. Heavy imports are inside the commands: `--help` is fast."""
