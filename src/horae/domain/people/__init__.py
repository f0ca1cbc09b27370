"""People and what they hold: accounts, roles, keys, passwords, second factors, single sign-on, the audit trail."""
