"""The REST API: stateless, closed by default. It turns requests into verbs and records into JSON, nothing more."""
