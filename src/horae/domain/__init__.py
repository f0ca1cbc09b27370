"""The rules of Horae, pure: no I/O, no clock, no environment. A rule that depends on time takes `now`."""
