"""How workers reach their installation: the adapters of `ports/controller.py`."""
