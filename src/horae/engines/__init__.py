"""How runs reach workers: the adapters of `ports.Engine`."""
