"""The verbs of watching: alerts and their evaluation, deliveries to channels, pings and badges. As in the rest of
`lifecycle/`, each is a function of a transaction."""
