"""Live and ended runs: claims, leases, ends, lanes and gates, logs, dead letters, history."""
