"""Wake-ups: hints between processes, the adapters of `ports.Wakeups`.

A hint only saves waiting. Every adapter may lose some, none may delay or fail its caller, and every listener also
polls. A hint that is a bare topic (`runs`) means: something of that topic, perhaps more than one thing.
"""
