"""Why a request to a vendor failed: what we refused ourselves, and what the vendor did."""

from __future__ import annotations

from collections.abc import Mapping

from chalicelib.once.reasons import By, Why

PROVIDERS: Mapping[str, tuple[By, str]] = {
    "richpanel": (By.VENDOR, "Richpanel"),
    "twilio": (By.VENDOR, "Twilio"),
    "ses": (By.VENDOR, "Amazon SES"),
    "openai": (By.VENDOR, "OpenAI"),
    "bedrock": (By.VENDOR, "Amazon Bedrock"),
    "shopify": (By.VENDOR, "Shopify"),
    "powerbi": (By.VENDOR, "Power BI"),
    "onelake": (By.VENDOR, "OneLake"),
    "hubspot": (By.VENDOR, "HubSpot"),
    "aloware": (By.VENDOR, "Aloware"),
    "sqs": (By.VENDOR, "Amazon SQS"),
    "s3": (By.VENDOR, "Amazon S3"),
    "aws": (By.VENDOR, "AWS"),
    "model": (By.VENDOR, "the language model"),
    "company": (By.COMPANY, "the company's endpoint"),
    "ai_config": (By.PROJECT, "the project's ai_config"),
    "dynamodb": (By.US, "our own database"),
    "conversations": (By.US, "the conversation's record"),
    "secrets": (By.US, "our secrets"),
    "writer": (By.US, "our writer"),
}
"""For each `ProviderError.provider`, which side it is on and its name in words; the last entries
are parts of our own."""

# --- what we refused ourselves --------------------------------------------------------------------

BREAKER_OPEN = Why(
    "breaker_open",
    By.US,
    "our circuit breaker lets no request to {} pass after failures in a row",
)
MODEL_BREAKER_OPEN = Why(
    "model_breaker_open",
    By.US,
    "our circuit breaker lets no request to this model of {} pass after time-outs in a row",
)
SECRET_UNAVAILABLE = Why("secret_unavailable", By.US, "our secret for {} could not be read")
NO_CREDENTIALS = Why("no_credentials", By.US, "we had no credentials for {}")
INVALID_REQUEST = Why("invalid_request", By.US, "we made a request that {} does not know")
INVALID_ID = Why("invalid_id", By.US, "the id does not have the form that {} uses")
TOO_MANY_PAGES = Why("too_many_pages", By.LIMIT, "the list of {} had more pages than we read")
ADDRESS_NOT_PUBLIC = Why("address_not_public", By.COMPANY, "the address of {} is not a public one")

# --- what the vendor did --------------------------------------------------------------------------

CONNECT_FAILED = Why("connect_failed", By.VENDOR, "{} could not be reached")
CONNECT_TIMEOUT = Why("connect_timeout", By.VENDOR, "{} could not be reached in time")
TIMEOUT = Why("timeout", By.VENDOR, "{} did not answer in time")
CONNECTION_BROKEN = Why(
    "connection_broken", By.VENDOR, "{} broke the connection before it answered"
)
UNAUTHORIZED = Why("http_401", By.VENDOR, "{} refuses our key")
FORBIDDEN = Why("http_403", By.VENDOR, "{} refuses our key")
RATE_LIMITED = Why("http_429", By.VENDOR, "{} asked us to slow down")
THROTTLED = Why("throttled", By.VENDOR, "{} asked us to slow down")
UNEXPECTED_ANSWER = Why("unexpected_answer", By.VENDOR, "the answer of {} could not be read")
ANSWER_IS_A_PAGE = Why("answer_is_a_page", By.VENDOR, "{} answered with a web page")
ANSWER_TOO_LARGE = Why("answer_too_large", By.VENDOR, "the answer of {} was too large")
ANSWER_NOT_JSON = Why("answer_not_json", By.VENDOR, "the answer of {} could not be read")
ANSWER_NOT_AN_OBJECT = Why("answer_not_an_object", By.VENDOR, "the answer of {} could not be read")
ID_MISMATCH = Why(
    "id_mismatch", By.VENDOR, "{} answered with something else than what was asked for"
)
MODEL_NOT_FOUND = Why("model_not_found", By.VENDOR, "{} does not know the model")
REFUSAL = Why("refusal", By.VENDOR, "the model of {} refused to write it")
VENDOR_REFUSED = Why("refused", By.VENDOR, "{} refused it")
INCOMPLETE = Why("incomplete", By.VENDOR, "the answer of {} was cut off")
MALFORMED = Why("malformed", By.VENDOR, "the answer of {} did not have the form that was asked for")
NOT_JSON = Why("not_json", By.VENDOR, "the answer of {} did not have the form that was asked for")
