"""One module per noun of the API."""
