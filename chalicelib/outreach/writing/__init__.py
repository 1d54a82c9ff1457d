"""Composes outreach messages.

In the order of a message:

    composer           asks the writer once per message and stores the draft before it is sent
    template_writer    the port of a writer, the writer of fixed texts, and the choice of a writer
    tool_writer        offers the project's tools, and decides what becomes of a call
    model_writer       the writer by a language model
    conversation_view  what the model sees: bounded, trimmed, redacted
    prompts            the instructions that the model gets
    checked_writer     judges its drafts: sent, written once more, or left to a person
    checks/          the rules that a draft must keep
"""
