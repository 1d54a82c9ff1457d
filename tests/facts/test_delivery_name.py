from chalicelib.facts.delivery_name import DeliveryName, DeliveryPart
from chalicelib.facts.model import Metric
from tests.rigs.each_row import each_row


@each_row(
    ("text", "part", "metric", "is_outbound", "is_seen"),
    [
        ("OutboundPhoneCall-DispositionCompleted", DeliveryPart.ENDING, Metric.CALLS, True, True),
        ("InboundTextMessage", DeliveryPart.OTHER, Metric.TEXTS, False, True),
        ("Call-Disposed", DeliveryPart.ENDING, Metric.CALLS, False, True),
        ("Recording-Saved", DeliveryPart.PART, None, False, True),
        ("transcription.call_summarized", DeliveryPart.PART, Metric.CALLS, False, True),
        ("Contact-Created", DeliveryPart.OTHER, None, False, False),
        ("Contact-Disposed", DeliveryPart.ENDING, None, False, False),
        ("outgoing_sms.sent", DeliveryPart.OTHER, Metric.TEXTS, True, False),
        ("", DeliveryPart.OTHER, None, False, False),
    ],
)
def test_a_name_says_what_of_a_communication_is_reported(text, part, metric, is_outbound, is_seen):
    name = DeliveryName(text)
    found = (name.part, name.metric, name.is_outbound, name.is_seen)
    assert found == (part, metric, is_outbound, is_seen)
    assert name.is_contact == text.startswith("Contact")
