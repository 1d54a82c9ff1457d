"""Automatic replies: whether one may be sent, and its text.

In the order of a decision:

    answering       runs all checks, looks up the order, takes the counted limits, renders the text
    guard_rails     everything that forbids a reply: switches, allowed templates, limits, tags; pure
    templates       the catalogue of templates, and how one is rendered
    template_checks faults in an operator's own texts
    template_texts  the texts, by template and language; rows of `template_texts.toml`
    proofs          the facts behind each sentence of a text; pure
"""
