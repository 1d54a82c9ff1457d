"""The redaction bench: leaks, masks and speed on an invented labelled set, beside other libraries.

__main__     `python -m bench.redaction`: runs everything and prints the table
identifiers  invented identifiers in published formats
frames       sentences with a place for an identifier, and clean ones
rows         the labelled set, made of both
public       labelled rows from public texts, fetched to a folder and never committed
measure      when a secret counts as leaked, and a clean message as altered
mix          generated messages as customers write them, for timing
timed        the two messages whose redaction is timed
turns        the speed of two trees in one process, in turn
hostile      inputs that could be slow, and how time grows with their size
peers        installs and runs the other libraries
peer_worker  runs inside a peer's own environment
"""
