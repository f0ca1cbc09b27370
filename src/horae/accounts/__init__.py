"""Identity and access: verbs about accounts, sessions, keys, projects, secrets and the audit trail."""
