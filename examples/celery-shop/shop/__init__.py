"""A small shop that uses Celery: the project that docs/moving-from-celery.md moves to Horae."""
