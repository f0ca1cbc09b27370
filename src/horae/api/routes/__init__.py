"""One module per noun of the API."""

PREFIX = "/api/v1"
