"""The scenarios, a module per group. Importing this registers them all."""

from tests.faults.scenarios import schedulers as schedulers
