"""The engine's own side, as `aws` and the AWS console reach it."""

import hmac
import json

import requests

TARGETS = {
    "secretsmanager": ("secretsmanager", "1.1"),
    "ssm": ("AmazonSSM", "1.1"),
    "sqs": ("AmazonSQS", "1.0"),
    "dynamodb": ("DynamoDB_20120810", "1.0"),
}


def aws(stack, service, call, **body):
    """One call, e.g. `aws(stack, "sqs", "GetQueueUrl", QueueName=...)`; returns the answer."""
    target, version = TARGETS[service]
    answer = requests.post(
        stack.hints["AWS_ENDPOINT_URL"],
        headers={
            "X-Amz-Target": f"{target}.{call}",
            "Content-Type": f"application/x-amz-json-{version}",
            "Authorization": "AWS4-HMAC-SHA256 Credential=000000000000/20261124/us-east-1"
            f"/{service}/aws4_request, SignedHeaders=host, Signature=0",
        },
        data=json.dumps(body),
        timeout=60,
    )
    assert answer.ok, answer.text
    return answer.json() if answer.content else {}


def queues(stack):
    """The queues' addresses, but for those that keep what is parked."""
    urls = aws(stack, "sqs", "ListQueues")["QueueUrls"]
    return [url for url in urls if "-dlq" not in url and "-failures" not in url]


def is_empty(stack, queue):
    """Whether a queue has no message that waits, is at work or is tried later."""
    counts = [f"ApproximateNumberOfMessages{kind}" for kind in ("", "NotVisible", "Delayed")]
    answer = aws(stack, "sqs", "GetQueueAttributes", QueueUrl=queue, AttributeNames=counts)
    return not any(int(count) for count in answer["Attributes"].values())


def put_secret(stack, name, value):
    """As `aws secretsmanager put-secret-value` does; `name` is the hint that has the secret's id."""
    aws(
        stack,
        "secretsmanager",
        "PutSecretValue",
        SecretId=stack.hints.get(name, name),
        SecretString=value if isinstance(value, str) else json.dumps(value),
    )


def secret(stack, name):
    """The text of a secret, to be put back."""
    answer = aws(stack, "secretsmanager", "GetSecretValue", SecretId=stack.hints.get(name, name))
    return answer["SecretString"]


def derived(stack, purpose, *, used_for):
    """A purpose's newest key as one who may read its secret could use it, for that or for another purpose."""
    root = json.loads(secret(stack, f"rp-mw/dev/keys/{purpose}"))["keys"][0]["key"]
    return hmac.digest(bytes.fromhex(root), f"rp-mw/dev/{used_for}\x01".encode(), "sha256")


def signed(key, *parts):
    """The parts under a key, as the service signs them."""
    return hmac.new(key, json.dumps(parts).encode(), "sha256").hexdigest()[:32]


def enqueue(stack, queue, body, *, group=None):
    """As `aws sqs send-message` does, e.g. to `companies`; returns the queue's URL and the message's id."""
    name = stack.hints["QUEUE_NAME"].replace("events", queue)
    url = aws(stack, "sqs", "GetQueueUrl", QueueName=name)["QueueUrl"]
    ids = {
        name: f"by-hand-{stack.number()}" for name in ("MessageGroupId", "MessageDeduplicationId")
    }
    ids |= {"MessageGroupId": group} if group else {}
    sent = aws(stack, "sqs", "SendMessage", QueueUrl=url, MessageBody=body, **ids)
    return url, sent["MessageId"]
