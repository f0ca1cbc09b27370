"""Containers, through the Docker-compatible API of Docker or Podman on its Unix socket."""
