"""The verbs about people and what they hold: accounts, sessions, keys, projects, secrets, the audit trail."""
