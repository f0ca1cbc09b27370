"""The simulation: the real lifecycle and process code of a whole cluster in one thread, under a virtual clock, with
faults and the order of steps chosen by a seed. See docs/simulation.md."""
