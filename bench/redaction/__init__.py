"""The redaction bench: leaks, masks and speed on an invented labelled set, compared with other libraries.

__main__     `python -m bench.redaction`: runs everything and prints the table
identifiers  invented identifiers in published formats
frames       sentences with a place for an identifier, and clean ones
rows         the labelled set, made of identifiers and frames
public       labelled rows from public texts, fetched to a folder and never committed
measure      when a secret counts as leaked, and a clean message as altered
mix          generated messages as customers write them, for timing
timed        the two messages whose redaction is timed
attacker     `python -m bench.redaction.attacker`: composes texts by seed, judges them, prints failure rates
compose      the kinds of composed text in which something must be masked
among        identifiers that their form alone proves, among common words
labelled     identifiers beside a word that names them
spoken       dictated identifiers, and dates of birth
oracles      judge how much of an identifier the output shows
harmless     composed texts that must stay unchanged
harmless_frames  the sentences of the harmless texts
forms        the forms in which phones, cards and tracking numbers are written
national     national identity numbers with their check digits
sentences    labels and sentences in six languages
words        common words of six languages, in groups
turns        compares the speed of two source trees in one process, in turns
hostile      inputs that could be slow, and how the time grows with their size
peers        installs and runs the other libraries
peer_worker  runs inside a peer's own environment
"""
