"""The OpenAPI description, and the examples in it."""
