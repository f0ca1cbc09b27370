"""An identity provider that speaks OpenID Connect: the Provider of ports/signing_in.py."""
