"""Composes outreach messages.

In the order of a message:

    composer           asks the writer once per message and stores the draft before it is sent
    template_writer    the port of a writer, the writer of fixed texts, and the choice of a writer
    tool_writer        offers the project's tools, and decides what becomes of a call
    model_writer       the writer by a language model
    conversation_view  what the model sees: bounded, trimmed, redacted
    prompts            the instructions that the model gets
    checked_writer     judges its drafts: sent, written once more, or left to a person
    review           the rules that a draft must keep
    given            what is known where a draft is judged
    sources          what it may rest on, as labelled sources
    field_meaning    what a field of a request is
    values           sums, dates, numbers of a text, with their places
    clocks           what time it is for a conversation
    moments          days, times and spans, and the clock
    value_words      the words of them
    said             values with what a sentence says of them
    rendering        values that code writes where a draft names their path
    support          whether the sources support a value in its role
    same_value       whether two values may be one
    right_role       whether a value is what the sentence says it is
    implied          what given values imply
    reached          whether an address is given as whose it is
    agreeing         whether a draft agrees with what only the recipient has said
    phrasing         what a sentence does: repeats, agrees, declines: `phrases.toml`
    form_names       names as they may become part of a message
    checks/          single checks of a text
"""
