"""What SQS does with a message that was received ten times: it is a dead letter of its lane."""


def dead_lettered(stage, lane):
    """Move the next message of a lane to its dead-letter queue, and return its id there."""
    sqs = stage.aws.client("sqs")
    (message,) = sqs.receive_message(QueueUrl=stage.lane_url(lane), AttributeNames=["All"])[
        "Messages"
    ]
    sent = sqs.send_message(
        QueueUrl=stage.lane_dead_letter_url(lane),
        MessageBody=message["Body"],
        MessageGroupId=message["Attributes"]["MessageGroupId"],
        MessageDeduplicationId=message["MessageId"],
    )
    sqs.delete_message(QueueUrl=stage.lane_url(lane), ReceiptHandle=message["ReceiptHandle"])
    return sent["MessageId"]
