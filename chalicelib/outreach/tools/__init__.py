"""A project's tools: what a writer may ask for on a recipient's behalf.

agreement      the words of a plain yes
confirmation   whether a recipient has agreed to an irreversible tool
tokens         the token with which a call's result comes back
value_patterns  a company's regular expressions, matched without backtracking
schema         a tool as it is declared; checks the arguments of a call
"""
