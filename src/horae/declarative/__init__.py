"""Jobs as code: read from files, compared with the existing jobs, applied, exported. Pure except for reading files; the
command line executes the plan through the API."""
