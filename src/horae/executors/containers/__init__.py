"""Containers by the Docker-compatible API of Docker or Podman, over its Unix socket."""
