"""What carries out an attempt, one module per kind of target. No executor touches the store."""
