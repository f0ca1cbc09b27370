"""Accounts, roles, keys, passwords, second factors, single sign-on, the audit trail."""
