"""Configuration: the only reader of the environment.

Own code rather than pydantic-settings for two reasons: that import alone takes as long as a whole `horae` command, and
it does not tell where a value came from."""

from horae.config.environment import SERVICE_MANAGER, process_environment, secret_variables, service_manager
from horae.config.loading import SECRET_FILE, load
from horae.config.places import login_file, open_files, private_places, user_cache
from horae.config.settings import CLIENT_FILE, PREFIX, Settings

__all__ = [
    "CLIENT_FILE",
    "PREFIX",
    "SECRET_FILE",
    "SERVICE_MANAGER",
    "Settings",
    "load",
    "login_file",
    "open_files",
    "private_places",
    "process_environment",
    "secret_variables",
    "service_manager",
    "user_cache",
]
