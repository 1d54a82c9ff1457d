"""A project's tools: functions that a writer may call on a recipient's behalf.

agreement       whether a message is a plain yes
confirmation    the question before an irreversible tool, and the recipient's yes
tokens          the token with which the result of a call is returned
value_patterns  matches a company's regular expressions without backtracking
schema          the declaration of a tool; checks the arguments of a call
"""
