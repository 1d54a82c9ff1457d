"""Composes outreach messages.

The modules, in the order in which a message passes them:

    composer           asks the writer once per message and stores the draft before it is sent
    template_writer    the port `Writer`, the writer of fixed texts, and the choice of the model's writer
    tool_writer        offers the project's tools to a writer, checks the call that it asks for, and asks
                       the recipient first, with every argument that the question does not name
    model_writer       asks a language model for drafts, judgements and moderation, by JSON schema
    conversation_view  what the model sees of a conversation: bounded, trimmed, redacted
    prompts            the instructions that the model gets
    checked_writer     judges the model's drafts: send, write once more, or leave to a person
    review             the rules that a draft breaks, as `RuleBreak` codes with the words at fault
    given              collects what a draft is judged against: its sources, case and rules
    sources            the texts and fields that a draft may rest on, each labelled with its author
    field_meaning      what a field of a request means: its roles, unit and currency
    values             finds the sums, percentages, numbers and codes of a text, with their positions
    clocks             the clock of a conversation, by the zones of recipient and company
    moments            finds the days, times and spans of a text, also dates in digits; which dates and
                       weekdays a day may be
    value_words        the words for months, weekdays, units and currencies, as patterns
    said_values        the values of a text with the roles and stems of the words nearest to them
    rendering          writes the value of a field where a draft names the field's path
    supported_values   judges each value of a draft: matching sources and rivals, opening hours
    same_value         whether a draft's value and a source's can be the same: sums, days, numbers
    right_role         the backing of a value or name by matching sources and rivals: given, or another role's
    implied            values that follow from given ones: opening hours around a time, dates ahead; times
                       that contradict the given ones
    right_address      whether a link, e-mail address or number belongs to the person whom the draft names
    agreeing           sentences that agree with what only the recipient has said
    phrasing           what a sentence does: repeat, agree, decline: `phrases.toml`
    form_names         which names from a form are plausible, and may become part of a message
    checks/            single checks of a text
"""
