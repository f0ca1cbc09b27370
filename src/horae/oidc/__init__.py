"""An OpenID Connect identity provider: the Provider of ports/signing_in.py."""
