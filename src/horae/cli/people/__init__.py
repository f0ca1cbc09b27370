"""Accounts and access: users, projects, keys, secrets, signing in, the audit trail."""
