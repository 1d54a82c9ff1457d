"""The redaction bench: a labelled set, peers, timing, hostile shapes."""
