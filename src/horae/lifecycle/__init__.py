"""The verbs of a run's life, in the order of the flow: submit, fire, claim, execute, finish, recover, cancel, prune.

Each is a function of a transaction that works on a batch; `store.transact(verb, …)` runs it, commits, and retries it
after a conflict with another transaction. So every verb is idempotent by key or token, and none waits for anything but
the store.
"""
