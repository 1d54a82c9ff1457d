"""Every parser of what others write, under inputs made from real samples by a seed.

    mutation     changes a sample: its values, or the pieces of its text
    table        a parser with its samples, its bound and its own errors
    bodies       bodies of requests: JSON, forms, notifications of SES
    proofs       signatures, assertions, keys, tokens and links
    texts        mail, HTML, addresses, times, patterns, words
    files        what a company or an operator hands in: settings, lists, TOML, CSV
    judge        gives the inputs to the parsers and judges what they raise
    growth       time and memory of the largest inputs, as ratios

The tests try a few inputs of each parser.  Everything, with a table::

    python -m tests.fuzz --per-parser 5000
    python -m tests.fuzz.growth
"""
