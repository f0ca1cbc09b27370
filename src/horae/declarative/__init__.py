"""Jobs, channels and pings as code: read from files, compared with those that exist, applied, exported. Pure except
for reading files; the command line executes the plan through the API."""
