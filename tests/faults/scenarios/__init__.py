"""The scenarios, a module per group. Importing this registers them all."""

from tests.faults.scenarios import basics as basics
from tests.faults.scenarios import load as load
from tests.faults.scenarios import network as network
from tests.faults.scenarios import schedulers as schedulers
from tests.faults.scenarios import steps as steps
from tests.faults.scenarios import workers as workers
