"""The verbs of a run's life, in the order of the flow: submit, fire, claim, execute, finish, recover, cancel, prune.

Each is a function of a transaction that works on a batch; `store.transact(verb, …)` runs it, commits, and repeats it
when another transaction was in the way. So every verb is idempotent by key or token, and none waits for anything but
the store.
"""
