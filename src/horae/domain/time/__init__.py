"""Scheduling: schedules, calendars, cron, time zones and daylight saving, blackouts, forecasts."""
