"""The command line, one module per noun. Heavy imports are inside the commands: `horae --help` must be fast."""
