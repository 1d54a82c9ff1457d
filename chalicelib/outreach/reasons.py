"""Outreach's reasons: why a message was not sent, or not yet, and why a person has a conversation.

The words of a reason follow *because* in a sentence.  Codes are stored for years, so none is renamed.
"""

from __future__ import annotations

from chalicelib.once.reasons import By, Why

# --- the recipient --------------------------------------------------------------------------------

OPTED_OUT = Why("opted_out", By.RECIPIENT, "the recipient asked to stop")
ANSWERED = Why("recipient_answered", By.RECIPIENT, "the recipient had written meanwhile")
TOGETHER = Why(
    "answered_together",
    By.RECIPIENT,
    "the recipient wrote again at once, and one answer covers both",
)
QUIET_PERIOD = Why(
    "quiet_period", By.RECIPIENT, "another message of the recipient might follow at once"
)
AUTOMATIC_MESSAGE = Why("automatic_message", By.RECIPIENT, "it was an automatic message")
MACHINE = Why("machine_reply", By.RECIPIENT, "the message reads like the reply of a machine")
LOOP = Why(
    "loop",
    By.RECIPIENT,
    "a machine seems to answer: the same again, or quicker than a person writes",
)
MEDIA_ONLY = Why("media_only", By.RECIPIENT, "the recipient sent pictures or sound without a word")
EMPTY_MESSAGE = Why("empty_message", By.RECIPIENT, "the message has no text")
LATE = Why("late_reply", By.RECIPIENT, "the recipient wrote after the conversation had ended")
OPT_OUT_IN_DOUBT = Why("opt_out_in_doubt", By.RECIPIENT, "the message may ask us to send no more")
OTHER_SENDER = Why(
    "other_sender", By.RECIPIENT, "the message came from another address than the recipient's"
)
SEVERAL = Why(
    "several_conversations",
    By.RECIPIENT,
    "the message may belong to another conversation of this recipient",
)
UNPROVEN = Why(
    "unproven_sender", By.RECIPIENT, "nothing shows that the recipient wrote this e-mail"
)
UNPROVEN_REFUSAL = Why(
    "unproven_refusal", By.RECIPIENT, "an e-mail that may be the recipient's asked to stop"
)
REFUSAL_IN_DOUBT = Why(
    "refusal_in_doubt",
    By.RECIPIENT,
    "the recipient may have asked to stop, and no person has decided it",
)
WITHDRAWN = Why(
    "confirmation_withdrawn",
    By.RECIPIENT,
    "the recipient wrote again between the yes and the call",
)
QUIET_HOURS_WISHED = Why(
    "quiet_hours_wished", By.RECIPIENT, "the recipient asked for messages at another time"
)
WISH_UNMET = Why(
    "wish_unmet",
    By.RECIPIENT,
    "at the times that the recipient asked for, no message may be sent",
)
UNWANTED_CHANNEL = Why("unwanted_channel", By.RECIPIENT, "the recipient asked for another channel")
ASKED_FOR_A_PERSON = Why(
    "recipient_asked_for_a_person", By.RECIPIENT, "the recipient asked for a person"
)

# --- a person of the company ----------------------------------------------------------------------

PERSON_ANSWERS = Why("person_answers", By.PERSON, "a person had the conversation")
WITH_A_PERSON = Why("with_a_person", By.PERSON, "a person has the conversation")
STEPPED_IN = Why("stepped_in", By.PERSON, "a colleague took the conversation over from automation")
NO_LONGER_WAITING = Why(
    "no_longer_waiting",
    By.PERSON,
    "a person already had the conversation, or it no longer waited for one",
)
HANDOFF_OVER = Why("handoff_over", By.PERSON, "the hand-off had ended already")
RETURNED = Why(
    "returned_to_automation",
    By.PERSON,
    "the conversation was given back to automation, and no message waited for an answer",
)
NOTED = Why("noted", By.PERSON, "the act sends nothing and was only recorded")
DECLINED = Why("declined", By.PERSON, "a person declined the message")
BY_A_PERSON = Why("by_a_person", By.PERSON, "a person declined the message")

# --- the register; the codes are those of `conversations.register_entries.MarkReason` -------------------

DO_NOT_CONTACT = Why("do_not_contact", By.REGISTER, "the recipient must not be contacted")
STOP = Why("stop", By.RECIPIENT, "the recipient wrote STOP")
ASKED_TO_STOP = Why("asked_to_stop", By.RECIPIENT, "the recipient asked to stop")
CARRIER = Why("code_21610", By.RECIPIENT, "the recipient said STOP to the carrier")
COMPLAINED = Why("complained", By.RECIPIENT, "the recipient marked an e-mail as spam")
UNSUBSCRIBED = Why("unsubscribed", By.RECIPIENT, "the recipient unsubscribed")
IMPORTED = Why("imported", By.COMPANY, "the address was on a list of the company")
BOUNCED = Why("bounced", By.VENDOR, "the address takes no e-mail")
DEAD_NUMBER = Why("dead_number", By.VENDOR, "the number does not exist on the channel")
LANDLINE = Why("landline", By.VENDOR, "the number takes no texts")
BLOCKED = Why("blocked", By.RECIPIENT, "the recipient blocked the sender on the channel")

# --- the company's endpoint ------------------------------------------------------------------------

NOT_CHOSEN = Why("not_chosen", By.COMPANY, "the company has not chosen events of this kind")
NO_ENDPOINT = Why("no_endpoint", By.COMPANY, "the project has no endpoint for events")
ENDPOINT_GONE = Why("endpoint_gone", By.COMPANY, "the endpoint answered that it is gone")
GONE = Why("gone", By.COMPANY, "the endpoint answered that it is gone")
ENDPOINT_PAUSED = Why("endpoint_paused", By.COMPANY, "the endpoint is paused")
ENDPOINT_BREAKER_OPEN = Why(
    "endpoint_breaker_open",
    By.US,
    "our circuit breaker lets no request to the endpoint pass after failures in a row",
)
TOOL_NOT_ACCEPTED = Why(
    "tool_not_accepted", By.COMPANY, "the company's endpoint did not take the tool's call"
)
COMPANY_ID_UNUSABLE = Why(
    "company_id_unusable", By.COMPANY, "no secret can be named after the company's id"
)
SIGNING_SECRETS_MISSING = Why(
    "signing_secrets_missing", By.COMPANY, "the company has no signing secret"
)
SIGNING_SECRETS_MALFORMED = Why(
    "signing_secrets_malformed", By.COMPANY, "a signing secret of the company is malformed"
)
CREDENTIALS_MALFORMED = Why(
    "credentials_malformed", By.COMPANY, "the secret with the company's account is malformed"
)

# --- what is set for a project ----------------------------------------------------------------------

NO_TEMPLATE = Why("no_template", By.PROJECT, "no WhatsApp template is set")
NO_SMS_CREDENTIALS = Why(
    "no_sms_credentials_id", By.PROJECT, "the project names no secret of Twilio for SMS"
)
NO_WHATSAPP_CREDENTIALS = Why(
    "no_whatsapp_credentials_id", By.PROJECT, "the project names no secret of Twilio for WhatsApp"
)
NO_SENDER = Why("no_sender", By.PROJECT, "the project has no address to send the e-mail from")
NO_NOTICE = Why("no_notice", By.PROJECT, "the project wants no e-mail about hand-offs")
HANDOFF_NOTICE = Why(
    "handoff_notice",
    By.PROJECT,
    "the company is sent an e-mail if no person takes the conversation until then",
)
HELD_START = Why(
    "auto_queue_initial_message", By.PROJECT, "the company wants a person to approve first messages"
)
HELD_REPLY = Why(
    "auto_queue_reply_message", By.PROJECT, "the company wants a person to approve answers"
)
NOT_ALLOWED = Why("channel_not_allowed", By.PROJECT, "the project does not allow the channel")
QUIET_HOURS = Why("quiet_hours", By.PROJECT, "it was night for the recipient")
QUIET_HOURS_UNREADABLE = Why(
    "quiet_hours_unreadable", By.PROJECT, "the setting of quiet hours cannot be read"
)
PROJECT_INACTIVE = Why("project_inactive", By.PROJECT, "the project is not active")
NOT_DECLARED = Why("not_declared", By.PROJECT, "no such message is declared for the conversation")
UNREADABLE = Why("unreadable", By.PROJECT, "{} cannot be read: see company check")

# --- limits -----------------------------------------------------------------------------------------

WINDOW_CLOSED = Why(
    "window_closed",
    By.LIMIT,
    "WhatsApp takes free text only within 24 hours after a message of the recipient,"
    " and no template is set for later",
)
ANSWERS_PER_HOUR = Why(
    "answers_per_hour", By.LIMIT, "the recipient had already got all answers that one hour allows"
)
ANSWERS_PER_DAY = Why(
    "answers_per_day", By.LIMIT, "the recipient had already got all answers that one day allows"
)
BUDGET_REACHED = Why(
    "budget_reached", By.LIMIT, "the project's budget of the day for language models was spent"
)
CONVERSATION_BUDGET_REACHED = Why(
    "conversation_budget_reached",
    By.LIMIT,
    "the conversation's budget for language models was spent",
)
BEYOND_SHARE = Why("beyond_share", By.LIMIT, "the company's share of starts was used up")
UNKNOWN_MODEL = Why("unknown_model", By.PROJECT, "what the language model costs is not known")
TOO_LONG = Why("too_long", By.LIMIT, "the text is longer than the project's limit")

# --- the law at the recipient's place; see `jurisdictions.rulebook` -----------------------------------

CALLING_HOURS = Why(
    "calling_hours", By.LIMIT, "it was outside the hours that the recipient's place allows"
)
PUBLIC_HOLIDAY = Why("public_holiday", By.LIMIT, "it was a public holiday at the recipient's place")
FREQUENCY_CAP = Why(
    "frequency_cap",
    By.LIMIT,
    "the recipient had already got as many messages as their place allows",
)
CONSENT_MISSING = Why(
    "consent_missing", By.LIMIT, "no consent of the recipient for the channel and purpose is known"
)
CONSENT_EXPIRED = Why("consent_expired", By.LIMIT, "the recipient's consent was too old")
WORDS_MISSING = Why("words_missing", By.LIMIT, "the project lacks words that the opening must have")
TEMPLATE_CATEGORY = Why(
    "template_category", By.LIMIT, "WhatsApp allows no template of this category for the message"
)

# --- the carrier ------------------------------------------------------------------------------------

ANSWERED_BY_PROVIDER = Why("answered_by_provider", By.VENDOR, "the carrier answers HELP itself")
NOT_DELIVERED = Why("opening_not_delivered", By.VENDOR, "the first message was not delivered")
ANSWER_WITHOUT_ID = Why("answer_without_id", By.VENDOR, "{} named no id of the message")
ANSWER_WITHOUT_DATE = Why("answer_without_date", By.VENDOR, "{} named no date of a message")
ANSWER_NOT_A_LIST = Why("answer_not_a_list", By.VENDOR, "the answer of {} could not be read")
ANSWER_NOT_A_MESSAGE = Why("answer_not_a_message", By.VENDOR, "the answer of {} could not be read")

# --- what a writer wrote, and what we made of it ------------------------------------------------------

ASKED_BY_WRITER = Why(
    "asked_by_writer", By.US, "the recipient asks for a person, or automation has no answer"
)
NOTHING_TO_SAY = Why("nothing_to_say", By.US, "there was no text to send")
NOTHING_WRITTEN = Why("openai_empty_message", By.VENDOR, "the model wrote no text")
NOTHING_COMPOSED = Why(
    "compose:empty_message",
    By.VENDOR,
    "the message could not be written: the model wrote no text",
)
BAD_ARGUMENTS = Why(
    "tool_arguments", By.US, "the arguments of a tool's call are not those it declares"
)
TOOL_WITHOUT_ENDPOINT = Why(
    "tool_without_endpoint:",
    By.COMPANY,
    "the company has no endpoint for the tool {name}, so a person does it",
)
DRAFT_INSTRUCTION = Why(
    "draft_instruction", By.RECIPIENT, "the recipient's message instructs the machine"
)
DRAFT_TOOL = Why(
    "draft_tool", By.US, "the model asked for a function that the recipient only quoted or named"
)
DRAFT_LINK = Why("draft_link", By.US, "two drafts held a link that was not given")
DRAFT_EMAIL = Why("draft_email", By.US, "two drafts held an e-mail address that was not given")
DRAFT_PHONE = Why("draft_phone", By.US, "two drafts held a phone number that was not given")
DRAFT_AMOUNT = Why("draft_amount", By.US, "two drafts held a sum or percentage that was not given")
DRAFT_DATE = Why("draft_date", By.US, "two drafts held a day or time that was not given")
DRAFT_PROMISE = Why("draft_promise", By.US, "two drafts promised something that was not given")
DRAFT_ORDER = Why(
    "draft_order", By.US, "two drafts held a number or state of an order that was not given"
)
DRAFT_ROLE = Why(
    "draft_role", By.US, "two drafts used a value in a wrong role, such as a deposit as the balance"
)
DRAFT_AGREEMENT = Why(
    "draft_agreement", By.US, "two drafts agreed with what only the recipient has said"
)
DRAFT_CLAIM = Why("draft_claim", By.US, "two drafts named sources that do not support them")
DRAFT_UNSURE = Why("draft_unsure", By.US, "it is uncertain whether the sources support the draft")
DRAFT_LANGUAGE = Why("draft_language", By.US, "two drafts were not in the recipient's language")
DRAFT_LENGTH = Why("draft_length", By.US, "two drafts were longer than the project's limit")
DRAFT_PERSONAL = Why("draft_personal", By.US, "two drafts held personal identifiers")
DRAFT_PROMPT = Why("draft_prompt", By.US, "two drafts talked about the machine's instructions")
DRAFT_HUMAN = Why("draft_human", By.US, "two drafts claimed that a human being writes")
DRAFT_FORM = Why("draft_form", By.US, "two drafts held placeholders, markup or code")
DRAFT_TOPIC = Why(
    "draft_topic", By.PROJECT, "two drafts were about a topic that the project forbids"
)
DRAFT_ABUSE = Why("draft_abuse", By.VENDOR, "the provider's moderation flagged two drafts")

# --- ourselves --------------------------------------------------------------------------------------

MESSAGE_GONE = Why("message_gone", By.US, "the message that it is about is no longer stored")
NEVER_OPENED = Why("never_opened", By.US, "the conversation was never opened")
EXISTS = Why("conversation_exists", By.US, "another start has opened a conversation under this id")
CONTINUED = Why("continued", By.US, "a conversation on another channel had taken its place")
CONVERSATION_GONE = Why("conversation_gone", By.US, "the conversation is no longer stored")
UNKNOWN_CONVERSATION = Why("unknown_conversation", By.US, "no such conversation is known")
UNKNOWN_SENDER = Why("unknown_sender", By.US, "no conversation with that recipient is known")
WRONG_ACCOUNT = Why("wrong_account", By.US, "the message was signed by another company's account")
TOOL_FAILED = Why("tool_failed", By.COMPANY, "the company says that the tool has failed")
NO_RESULT = Why("no_result", By.COMPANY, "the company gave no result of the tool in time")
AWAITS_RESULT = Why("awaits_result", By.COMPANY, "the tool's result may still come")
TOOL_CHANGED = Why(
    "tool_changed", By.PROJECT, "the tool's declaration has changed since the tool was asked for"
)
FOR_A_PERSON = Why(
    "for_a_person",
    By.US,
    "the message asks for a function or a person, or notes an opt-out: a person decides",
)
FAILED = Why("failed", By.US, "a message could not be processed or sent")
SLOW_LOOK = Why(
    "slow_look",
    By.US,
    "right before the request it could not be read in time whether the message may be sent",
)
START_TAKEN = Why("start_taken", By.US, "another worker took the start over")
CONSENT_NOT_KEPT = Why(
    "consent_not_kept", By.US, "what the recipient said about consent could not be stored"
)

# --- prefixes: the stage at which a conversation failed (`failure_stage`), before the reason --------------

STAGE_OPEN = Why("open:", By.US, "no conversation was opened: {}")
STAGE_SECRETS = Why("secrets:", By.US, "the company's secret cannot be used: {}")
STAGE_COMPOSE = Why("compose:", By.US, "the message could not be written: {}")
STAGE_SEND = Why("send:", By.US, "the message could not be sent: {}")
STAGE_GIVEN_UP = Why("retries:", By.US, "{}")
STAGE_DECLINED = Why("declined:", By.PERSON, "{}")
