"""The controller of agents: their keys, and their claims that wait."""
