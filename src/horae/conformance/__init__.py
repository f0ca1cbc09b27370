"""The conformance suite of the worker protocol: plays the controller, and checks what an agent does. It needs no
database and no installation: `python -m horae.conformance -- AGENT …`."""
