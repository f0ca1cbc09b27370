"""Jobs and what they name: definitions, queues, functions, dependencies; what is due, and what deleted jobs leave."""
