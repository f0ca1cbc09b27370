"""A warm pool of processes for plain functions: each can be killed, with everything it started, and replaced cheaply.

    worker ── control ──► template ── fork ──► child, child, …
       └───────────── calls and replies ────────┘

- `template.py` runs in its own process: it imports the task modules once, on one thread, and forks a child on request.
  It ends children (TERM, KILL after the grace, their whole tree), at a lease's deadline without being asked, and all
  of them when the worker is gone.
- `child.py` is what a child does: one call after the other.
- `pool.py` and `link.py` are the worker's side: which children are idle or busy, and the connection to the template.

Nothing a function does to its process reaches the worker: an exit, a crash, a flood of output or a kill is one outcome.
"""
