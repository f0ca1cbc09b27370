"""The rules of Horae, pure: no I/O, no clock, no environment. Whatever depends on time takes `now`."""
