"""Support's reasons: why a ticket got no automatic answer, and how an event of it ended.

Words go after *because*; see `once.reasons`.  Codes are stored for years, so none is renamed.
"""

from __future__ import annotations

from chalicelib.once.reasons import By, Why

# --- the message, and who wrote it ------------------------------------------------------------------

NO_TEXT = Why("no_text", By.RECIPIENT, "the message has no text")
AUTO_RESPONDER = Why("auto_responder", By.RECIPIENT, "the message was written by an auto-responder")
NEWER_MESSAGE = Why(
    "newer_message",
    By.RECIPIENT,
    "the customer had written again, and the newer message is answered instead",
)
ORDER_NUMBER_MISSING = Why("order_number_missing", By.RECIPIENT, "the message names no order")
REQUESTER_NOT_KNOWN = Why(
    "requester_not_known", By.RECIPIENT, "the ticket does not show the customer's address"
)
ANSWERS_OUR_QUESTION = Why(
    "answers_our_question", By.RECIPIENT, "the message answers our question for the order number"
)
REPEATED_COMPLAINT = Why(
    "repeated_complaint", By.RECIPIENT, "the customer complains about the same once more"
)
SAME_TEXT = Why("same_text", By.LIMIT, "the customer had sent the same text within seven days")
CUSTOMER_STOPPED = Why(
    "customer_stopped", By.LIMIT, "the customer had sent the same text twice within seven days"
)
SUPERSEDED = Why("superseded", By.RECIPIENT, "the conversation had moved on")

# --- what the message is about ----------------------------------------------------------------------

ESCALATION = Why("escalation", By.US, "the subject is one that only a person may answer")
CONFLICTING_INTENT = Why(
    "conflicting_intent", By.US, "the message asks for two things that contradict each other"
)
LOW_CONFIDENCE = Why("low_confidence", By.US, "it was not certain enough what the message is about")
NOT_SURE = Why("not_sure", By.US, "it was not certain enough what the message is about")
NOT_UNDERSTOOD = Why("not_understood", By.US, "not all of the message was understood")
LANGUAGE_NOT_SUPPORTED = Why(
    "language_not_supported", By.US, "the message is in a language without templates"
)
RISK_FLAG = Why("risk_flag", By.US, "the conversation is marked as a risk")
FORCE_HUMAN = Why("force_human", By.VENDOR, "the model asked for a person")
MODEL_FORCES_HUMAN = Why("model:force_human", By.VENDOR, "the model asked for a person")
MODEL_SEES_NO_RISK = Why("model:sees_no_risk", By.VENDOR, "the model saw no risk")
MODEL_ESCALATES = Why("model:escalates", By.VENDOR, "the model found a subject for a person")
MODEL_AGREES = Why("model:agrees", By.VENDOR, "the model agreed")
MODEL_DISAGREES = Why(
    "model:disagrees_unsure", By.VENDOR, "the model disagreed without being certain"
)
MODEL_OVERRULES = Why("model:overrules", By.VENDOR, "the model understood the message differently")
MODEL = Why("model:", By.VENDOR, "the model was of no help: {}")
LINEAR_DISAGREES = Why(
    "linear:disagrees", By.US, "the small model understood the message differently"
)
LINEAR_DECIDES = Why("linear:decides", By.US, "the small model decided what the message is about")
VERIFIER = Why("verifier:", By.VENDOR, "the model did not confirm the answer ({name})")

# --- persons ----------------------------------------------------------------------------------------

OPERATOR_COMMENT = Why(
    "operator_comment", By.PERSON, "the comment was written by an operator, not by a customer"
)
ANSWERED_BY_OPERATOR = Why("answered_by_operator", By.PERSON, "a person had answered already")
ANSWERED_BY_A_PERSON = Why(
    "answered_by_a_person", By.PERSON, "the person who has the ticket had answered by then"
)
ESCALATED = Why("escalated", By.PERSON, "a person has the ticket")
TICKET_CLOSED = Why("ticket_closed", By.PERSON, "the ticket was closed")
ASSIGNED_TO_A_PERSON = Why("assigned_to_a_person", By.PERSON, "a person had the ticket already")
HELD_BY_A_PERSON = Why("held_by_a_person", By.PERSON, "a person has the ticket")
PERSON_IN_IT = Why("person_in_it", By.PERSON, "a person has written in the conversation")
STOP_TAG = Why("stop_tag", By.PERSON, "a tag on the ticket keeps automatic answers away")

# --- the conversation -------------------------------------------------------------------------------

OPEN_REQUEST = Why(
    "open_request:", By.RECIPIENT, "the customer has asked for something else too: {name}"
)
OTHER_ORDER_OPEN = Why(
    "other_order_open", By.RECIPIENT, "the customer has asked about another order too"
)
CUSTOMER_AT_RISK = Why(
    "customer_at_risk", By.RECIPIENT, "another ticket of the customer is about a grave matter"
)

# --- what is set ------------------------------------------------------------------------------------

OUTBOUND_DISABLED = Why(
    "outbound_disabled", By.PROJECT, "automatic replies are not enabled on this stage"
)
NOT_SWITCHED_ON = Why(
    "not_switched_on", By.PROJECT, "answers are not switched on for the department or the intent"
)
TEMPLATE_NOT_ENABLED = Why(
    "template_not_enabled", By.PROJECT, "the template for this subject is not enabled"
)
NOT_ON_ALLOW_LIST = Why(
    "not_on_allow_list", By.PROJECT, "the customer's address is not on the allow-list"
)
MISSING_BOT_AUTHOR = Why(
    "missing_bot_author", By.PROJECT, "no author is configured for automatic replies"
)
SHOP_NOT_CONFIGURED = Why("shop_not_configured", By.PROJECT, "no shop is configured")
CHANNEL_NOT_SUPPORTED = Why(
    "channel_not_supported", By.US, "automatic replies are for e-mail tickets only"
)

# --- limits -----------------------------------------------------------------------------------------

ANSWERED = Why(
    "answered_automatically", By.LIMIT, "the ticket had already got its automatic answer"
)
LIMIT_TICKET = Why(
    "limit_ticket_10m", By.LIMIT, "the ticket had got an automatic reply within ten minutes"
)
LIMIT_CONVERSATION = Why(
    "limit_conversation_24h",
    By.LIMIT,
    "the ticket had already got its automatic replies of that day",
)
LIMIT_CUSTOMER = Why(
    "limit_customer_24h",
    By.LIMIT,
    "the customer had already got their automatic replies of that day",
)
NOT_CLOSED = Why("not_closed:", By.LIMIT, "the ticket was not closed: {}")
NOT_RETRIED = Why("not_retried:", By.LIMIT, "the answer was not tried later: {}")
WRITE_LIMIT = Why("write_limit", By.LIMIT, "the event had used up its writes to Richpanel")
TOO_OLD = Why("too_old", By.LIMIT, "the message was too old when it could be processed")

# --- the order --------------------------------------------------------------------------------------

NOT_FOUND = Why("not_found", By.VENDOR, "the shop has no such order")
NOT_THEIRS = Why("not_theirs", By.VENDOR, "the order is another customer's")
LOOKUP_FAILED = Why("lookup_failed:", By.VENDOR, "the order could not be looked up: {}")
LOOKUP_INCOMPLETE = Why(
    "lookup_incomplete", By.VENDOR, "the shop does not give enough facts about the order"
)
ORDER_CHANGED = Why("order_changed", By.VENDOR, "the order had changed since the reply was planned")
ORDER_CANCELLED = Why("order_cancelled", By.VENDOR, "the order was cancelled")
ORDER_DISPUTED = Why("order_disputed", By.VENDOR, "the payment of the order is disputed")
ORDER_REFUNDED = Why("order_refunded", By.VENDOR, "the order was refunded")
ORDER_PARTLY_REFUNDED = Why("order_partly_refunded", By.VENDOR, "a part of the order was refunded")
ORDER_VOIDED = Why("order_voided", By.VENDOR, "the payment of the order was cancelled")
ORDER_UNPAID = Why("order_unpaid", By.VENDOR, "the order is not paid")
ORDER_RETURNING = Why("order_return_in_progress", By.VENDOR, "the order is being returned")
ORDER_LINES_CANCELLED = Why("order_lines_cancelled", By.VENDOR, "a part of the order was cancelled")
ORDER_ON_HOLD = Why("order_on_hold", By.VENDOR, "the order is on hold")
ORDER_RESTOCKED = Why("order_restocked", By.VENDOR, "the order went back into stock")
ORDER_DELIVERED = Why("order_delivered", By.VENDOR, "the shop says that it was delivered")
ORDER_READY_FOR_PICKUP = Why("order_ready_for_pickup", By.VENDOR, "it can be picked up")
ORDER_DELIVERY_ATTEMPTED = Why(
    "order_delivery_attempted", By.VENDOR, "the carrier tried to deliver it and could not"
)
ORDER_DELIVERY_EXCEPTION = Why(
    "order_delivery_exception", By.VENDOR, "the carrier reported a problem with the delivery"
)
ORDER_SEVERAL_SHIPMENTS = Why(
    "order_several_shipments", By.VENDOR, "the order is sent in several shipments"
)
ORDER_UNKNOWN = Why("order_unknown:", By.VENDOR, "the shop does not show the order's {}")
ORDER_CONTRADICTORY = Why(
    "order_contradictory", By.VENDOR, "what the shop says of the order contradicts itself"
)
NOT_AS_OLD_AS_SAID = Why(
    "not_as_old_as_said",
    By.RECIPIENT,
    "the customer and the shop disagree about the age of the order",
)
ORDER_SCHEDULED = Why("order_scheduled", By.VENDOR, "the order is to be sent at a later time")
ORDER_PREORDERED = Why("order_preordered", By.VENDOR, "the order is a pre-order")
ORDER_RISKY = Why("order_risky", By.VENDOR, "the shop marks the order as risky")
ORDER_TAGGED = Why(
    "order_tagged", By.PERSON, "a tag of the order says that something is the matter"
)
ORDER_NOT_SENT_IN_TIME = Why(
    "order_not_sent_in_time", By.US, "the order should have left the shop by then"
)
ORDER_ABROAD = Why(
    "order_abroad", By.US, "no delivery window is known for the order's country and method"
)
ORDER_SAID_GONE = Why(
    "order_said_gone", By.RECIPIENT, "the customer says that the order was delivered or is lost"
)
TOO_MANY_ORDERS = Why("too_many_orders", By.RECIPIENT, "the message names more than three orders")
DELIVERY_WINDOW_OVER = Why("delivery_window_over", By.US, "the order should have arrived by then")
NOTHING_TO_FOLLOW = Why(
    "nothing_to_follow", By.VENDOR, "the order was sent without a tracking number"
)

# --- Richpanel --------------------------------------------------------------------------------------

TICKET_NOT_READ = Why("ticket_not_read", By.US, "the ticket was not read")
TICKET_UNREADABLE = Why("ticket_unreadable:", By.VENDOR, "the ticket could not be read: {}")
COMMENT_NOT_SHOWN = Why("comment_not_shown", By.VENDOR, "Richpanel did not show the comment yet")
NOT_APPLIED = Why("not_applied", By.VENDOR, "{} took the change and did not show it")
NOT_VISIBLE = Why("not_visible", By.VENDOR, "{} took the message and did not show it")
UNKNOWN_TAG = Why("unknown_tag", By.VENDOR, "Richpanel has no such tag")

# --- ourselves --------------------------------------------------------------------------------------

CANNOT_BE_COMPOSED = Why("cannot_be_composed", By.US, "the text could not be composed")
TEMPLATE_INCOMPLETE = Why(
    "template_incomplete", By.US, "the template needs a fact that is not known"
)
COVERED = Why(
    "covered", By.US, "a later read of the ticket has shown what this notification was about"
)
LOOK_DUE = Why(
    "look_due",
    By.US,
    "the ticket was read just before; the next read is shared with other notifications",
)
DUPLICATE = Why(
    "duplicate_in_neighbour_bucket", By.US, "the same message had been taken in already"
)
