"""Starts commands for a worker, and ensures that none of their processes outlives its attempt.

A worker has one *supervisor*: a small process that imports nothing but the standard library, so that its fork is cheap.
For each command it forks a *keeper*, which starts the command and stays its parent. Both adopt orphans (they are
subreapers), so:

- every process that a command starts, in any session and however often it forks, descends from its keeper;
- a keeper without children has nothing left alive below it; that is how the end of a tree is known;
- what a killed keeper leaves behind becomes a child of the supervisor, which ends it.

Each tree is ended when the worker asks; when its lease has expired, which the worker extends at every heartbeat; when
it exceeds a limit, which the supervisor checks; when the worker is gone, and when the supervisor is.

Only `client.py` runs in the worker. Messages are whole packets of Unix sockets: a new command reaches the supervisor
as five descriptors (its channel, the request as JSON, standard input, output and error); from then on its keeper and
the worker talk by the channel.
"""
