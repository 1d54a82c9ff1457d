"""Conversations: `records` are the values, `store` is the table, `handoffs` what waits for persons."""
