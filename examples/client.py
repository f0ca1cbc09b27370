"""A job made, run and waited for from Python: `python examples/client.py URL KEY`."""

import sys
import time

import horae

url, key = sys.argv[1:]

with horae.Client(url, key) as client:
    job = client.jobs.create(
        name=f"greet-{int(time.time())}",
        target={"kind": "python", "function": "greet", "arguments": {"name": "Ada"}},
    )
    run = client.jobs.run(job["id"])
    while run["status"] in ("queued", "running"):
        time.sleep(0.1)
        run = client.runs.get(run["id"])
    for line in client.runs.log(run["id"]):
        print(line["text"], end="")
    print(run["status"], run["result"])
