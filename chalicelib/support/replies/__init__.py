"""Automatic replies: whether one may be sent, and its text.

In the order of a decision:

    answering       the verdict on a message: runs all checks, looks up the orders, counts the limits, has
                    the text rendered; `flow` calls it again before a reply is sent
    guard_rails     the policy, the reasons for shadow, and each refusal: by switches, message, ticket,
                    channel, recipient; limits; pure
    templates       the catalogue of templates; renders one by mustache, with cleaned values
    template_checks faults in an operator's own texts: values, sections, control characters
    template_texts  the built-in texts, by template and language; rows of `template_texts.toml`
    proofs          marks values in a text, and reads from the marks which facts prove each line; pure
"""
