"""All commands. Loading their parameters takes a while: app.py avoids it when only one of them is needed."""

from __future__ import annotations

from horae.cli.cluster import doctor, drain, processes, queues
from horae.cli.jobs import declare, functions, importing, jobs
from horae.cli.people import audit, keys, login, projects, quotas, second_factor, secrets, users
from horae.cli.root import root
from horae.cli.runs import dead, operations, retries, runs, why
from horae.cli.up import up
from horae.cli.watching import alerts, badges, channels, metrics, ping, pings, sinks

app = root()
up.register(app)
app.add_typer(jobs.app, name="jobs")
app.add_typer(runs.app, name="runs")
retries.register(jobs.app, runs.app)
app.add_typer(dead.app, name="dead")
app.add_typer(operations.app, name="operations")
app.add_typer(alerts.app, name="alerts")
app.add_typer(queues.app, name="queues")
app.add_typer(pings.app, name="pings")
ping.register(app)
app.add_typer(badges.app, name="badges")
app.add_typer(users.app, name="users")
app.add_typer(projects.app, name="projects")
quotas.register(projects.app)
app.add_typer(keys.app, name="keys")
login.register(app)
app.add_typer(second_factor.app, name="second-factor")
app.add_typer(secrets.app, name="secrets")
app.add_typer(channels.app, name="channels")
app.add_typer(sinks.app, name="sinks")
app.add_typer(functions.app, name="functions")
why.register(app)
declare.register(app)
app.add_typer(importing.app, name="import")
audit.register(app)
drain.register(app)
processes.register(app)
app.add_typer(metrics.app, name="metrics")
doctor.register(app)
