"""The redaction bench: leaks, masks and speed on an invented labelled set, beside other libraries.

__main__     `python -m bench.redaction`: runs everything and prints the table
identifiers  invented identifiers in published formats
frames       sentences with a place for an identifier, and clean ones
rows         the labelled set, made of both
public       labelled rows from public texts, fetched to a folder and never committed
measure      when a secret counts as leaked, and a clean message as altered
mix          generated messages as customers write them, for timing
timed        the two messages whose redaction is timed
attacker     `python -m bench.redaction.attacker`: composed texts by seed, judged, with rates by kind
compose      the kinds of composed text in which something must be masked
among        identifiers that carry their own proof, among common words
labelled     identifiers after or before their word
spoken       dictated identifiers, and dates of birth
oracles      what may be seen of an identifier in the output
harmless     composed texts that must stay byte for byte
harmless_frames  their sentences
forms        the forms in which phones, cards and tracking numbers are written
national     national identity numbers with their check digits
sentences    labels and sentences in six languages
words        common words of six languages, in groups
turns        the speed of two trees in one process, in turn
hostile      inputs that could be slow, and how time grows with their size
peers        installs and runs the other libraries
peer_worker  runs inside a peer's own environment
"""
