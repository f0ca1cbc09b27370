"""Processes: start, list and drain them, queues, and the checks of `horae doctor`."""
