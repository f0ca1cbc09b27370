"""The command line, one module per noun. Heavy imports stand inside the commands: `horae --help` must be quick."""
