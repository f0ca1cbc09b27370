"""The fault suite: real processes and servers, seeded faults, an oracle. `make faults`; docs/faults.md says how to run
and read it, scenario.py how to add to it."""
