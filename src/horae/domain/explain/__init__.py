"""Why a job or a run does, did or does not run: facts in, sentences out."""
