"""An invented carrier: pigeons fly between lofts.

client    asks the dovecote to send one
webhook   what the dovecote posts: notes that came back, and what became of ours
door      answers it
"""
