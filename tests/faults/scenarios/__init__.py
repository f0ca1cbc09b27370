"""The scenarios, a module per group. Importing this imports them all, which registers them."""

from importlib import import_module
from pkgutil import iter_modules

for module in iter_modules(__path__):
    import_module(f"{__name__}.{module.name}")
