"""Who is calling: passwords, sessions, tokens, second factors, single sign-on."""
