"""Events for other systems: their types, the sinks that want them, and the form in which they are sent."""
