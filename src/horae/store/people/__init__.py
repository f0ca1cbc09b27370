"""Accounts and access: users, projects, keys, sessions, secrets, quotas, the audit trail."""
