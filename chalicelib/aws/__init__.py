"""AWS services behind the ports of the core.

dynamo          the storage port on a DynamoDB table: every verb, pages, batches, renamed attributes
dynamo_calls    one DynamoDB call, and which error each failure becomes
expressions     update and condition expressions, PartiQL statements
typed_values    plain values to DynamoDB's typed ones and back
queue           sends to the lanes' FIFO queues and the queue `later`, sets a visibility timeout
switches        the four switches, read from SSM and cached
switch_story    copies the switches' changes from SSM into the journal
callers         the name of a person or a role in an AWS identity
secrets         named secrets and their active tokens, read from Secrets Manager and cached
logs            JSON log lines, redacted, held back or dropped, the last one of a job with its metrics
metric_records  metrics in CloudWatch's embedded format, packed into few records
lambda_events   SQS records and the Lambda context as plain values
stage_guard     compares the stage tags of tables and queue with the stage
"""
