"""Soak: a mixed load with faults for as long as you like, to see what only time shows: memory that grows, files and
processes that are left behind, tables that swell, claims that become slow.

    make soak TIME=10m ARGS='--database postgresql --seed 7'

Real processes on a real server. `load.py` is the people and the jobs, `faults.py` what happens to the processes and
connections, `samples.py` what is looked at every few seconds, `verdict.py` what counts as a leak, `report.py` and
`plots.py` the page that comes out of it.
"""
