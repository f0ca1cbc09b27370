"""Jobs: their definitions, schedules and functions; jobs as files, and from other schedulers."""
