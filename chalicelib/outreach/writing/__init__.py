"""Composes outreach messages.

The modules, in the order in which a message passes them:

    composer           asks the writer once per message and stores the draft before it is sent
    template_writer    the port `Writer`, the writer of fixed texts, and the choice between writers
    tool_writer        offers the project's tools to a writer, and checks the call that it asks for
    model_writer       writes drafts by a language model
    conversation_view  what the model sees of a conversation: bounded, trimmed, redacted
    prompts            the instructions that the model gets
    checked_writer     judges the model's drafts: send, write once more, or leave to a person
    review             the rules that a draft must keep
    given              everything that a draft is judged against
    sources            the texts and fields that a draft may rest on, each labelled with its author
    field_meaning      what a field of a request means: its roles, unit and currency
    values             finds the sums, dates, numbers and codes of a text, with their positions
    clocks             the time zones of a conversation
    moments            finds the days, times and spans of a text, and compares days with dates
    value_words        the words for months, weekdays, units and currencies, as patterns
    said               the values of a text with the roles that its words give them
    rendering          writes the value of a field where a draft names the field's path
    support            whether the sources support a value in its role
    same_value         whether two values can be the same
    right_role         whether a value has the role in the sources that the draft gives it
    implied            values that follow from given values
    reached            whether an address belongs to the person that the draft names
    agreeing           whether a draft agrees with something that only the recipient has said
    phrasing           what a sentence does: repeat, agree, decline
    form_names         which names from a form may become part of a message
    checks/            single checks of a text
"""
