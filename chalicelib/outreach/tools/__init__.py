"""A project's tools: what a writer may ask for on a recipient's behalf.

schema         a tool as it is declared; checks the arguments of a call
"""
