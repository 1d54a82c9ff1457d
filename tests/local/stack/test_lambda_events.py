"""Events look as Lambda sends them, and Chalice accepts them."""

from datetime import UTC, datetime

from chalice.app import CloudWatchEvent, SQSEvent

from chalicelib.aws.lambda_events import delivery
from local.stack import lambda_events

DOCUMENTED_RECORD = {
    "messageId",
    "receiptHandle",
    "body",
    "attributes",
    "messageAttributes",
    "md5OfBody",
    "eventSource",
    "eventSourceARN",
    "awsRegion",
}
DOCUMENTED_ATTRIBUTES = {
    "ApproximateReceiveCount",
    "SentTimestamp",
    "SequenceNumber",
    "MessageGroupId",
    "SenderId",
    "MessageDeduplicationId",
    "ApproximateFirstReceiveTimestamp",
}


def test_a_generated_record_has_exactly_the_documented_fields():
    record = lambda_events.made_up_record("{}", group_id="g", receive_count=3)
    assert record.keys() == DOCUMENTED_RECORD
    assert record["attributes"].keys() == DOCUMENTED_ATTRIBUTES
    assert record["attributes"]["ApproximateReceiveCount"] == "3"
    assert all(isinstance(value, str) for value in record["attributes"].values())
    assert record["md5OfBody"] == "99914b932bd37a50b983c5e7c90ae93b"


def test_two_records_are_two_messages():
    first, second = (lambda_events.made_up_record("{}") for _ in range(2))
    assert first["messageId"] != second["messageId"]
    assert first["receiptHandle"] != second["receiptHandle"]


def test_a_received_message_has_the_same_fields(stage):
    sqs = stage.aws.client("sqs")
    sqs.send_message(
        QueueUrl=stage.queue_url,
        MessageBody="hello",
        MessageGroupId="g",
        MessageDeduplicationId="d",
        MessageAttributes={"kind": {"DataType": "String", "StringValue": "x"}},
    )
    (message,) = sqs.receive_message(
        QueueUrl=stage.queue_url, AttributeNames=["All"], MessageAttributeNames=["All"]
    )["Messages"]
    record = lambda_events.sqs_record(message, queue_arn=stage.queue_arn)
    assert record.keys() == DOCUMENTED_RECORD
    assert record["attributes"].keys() >= DOCUMENTED_ATTRIBUTES - {"SenderId"}
    assert record["attributes"]["MessageGroupId"] == "g"
    assert record["attributes"]["MessageDeduplicationId"] == "d"
    assert record["eventSourceARN"] == stage.queue_arn
    assert record["awsRegion"] == "us-east-1"
    assert record["messageAttributes"]["kind"]["stringValue"] == "x"


def test_chalice_accepts_the_events():
    context = lambda_events.LambdaContext()
    record = lambda_events.made_up_record("hello")
    (taken,) = SQSEvent(lambda_events.sqs_event(record), context)
    assert (taken.body, taken.to_dict()) == ("hello", record)
    at = datetime(2026, 11, 20, 9, tzinfo=UTC)
    schedule = CloudWatchEvent(lambda_events.schedule_event(at=at), context)
    assert (schedule.time, schedule.source) == ("2026-11-20T09:00:00Z", "aws.events")


def test_the_contexts_remaining_time_counts_down_to_zero():
    now = [100.0]
    context = lambda_events.LambdaContext(timeout_seconds=2, monotonic=lambda: now[0])
    assert context.get_remaining_time_in_millis() == 2000
    now[0] = 101.5
    assert context.get_remaining_time_in_millis() == 500
    now[0] = 110.0
    assert context.get_remaining_time_in_millis() == 0
    assert context.invoked_function_arn.endswith(context.function_name)
    assert context.function_name in context.log_group_name
    assert context.log_stream_name


def test_a_delivery_reads_the_remaining_time_on_every_access():
    now = [100.0]
    context = lambda_events.LambdaContext(timeout_seconds=2, monotonic=lambda: now[0])
    taken = delivery(lambda_events.made_up_record("hello"), context, max_receives=10)
    assert taken.time_left_seconds() == 2
    now[0] = 101.5
    assert taken.time_left_seconds() == 0.5
