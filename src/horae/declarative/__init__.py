"""Jobs as files: read, compared with what is there, applied, written back. Pure but for reading files; the command
line carries out what is planned here, through the API."""
