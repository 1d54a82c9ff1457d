"""A project's tools: functions that a writer may call on a recipient's behalf.

agreement       whether a message is a plain yes, by the words of `agreement.toml`
confirmation    the stored question before an irreversible tool's call, and what a message makes of it
call_tokens     signs and verifies the token with which the result of a call is returned
value_patterns  matches a company's regular expressions without backtracking
schema          the declaration of a tool; checks a call's arguments and a result's data by JSON Schema
"""
