"""The middleware: three systems over one core that does everything once.

Only `app.py`, outside this package, registers routes, queue handlers and schedules.  What it calls
each system builds itself, over `shared`; `wiring` loads a system at its first job or request.

    once/       the core: intake, jobs, worker, plans, effects, ledger, recovery; knows no vendor
    support/    Richpanel tickets: classify, route, answer
    outreach/   conversations that a company starts: WhatsApp, SMS, e-mail, replies, hand-off
    facts/      Aloware and HubSpot events on their way to Power BI
    vendors/    the HTTP client, rate limit and circuit breaker of every vendor call; language models
    aws/        the core's ports on AWS: tables, queue, switches, secrets, logs
    redaction/  personal data masked before anything is stored, logged or raised
    wiring/     one container: which system has which kind, and what is shared, on AWS
    shared      parts of one container for every system: tables, ledger, queues, keys, a vendor's client
    settings    environment variables as one frozen value; a wrong one fails the cold start
    support_settings  the environment variables of automatic replies
    ready       keeps a builder's result: from a pickle of the deployed bundle, else built at the first call
    tables      TOML files of wordings, codes and prices as typed rows, read at first use
    errors      the error tree: whose fault it is, and whether it may be repeated
    clock       the system's clock, and times as ISO text

How bytes become effects::

    request -> */..._webhook verify, parse -> once.intake -> SQS FIFO -> once.worker
            -> flow: decide -> stored plan -> once.effects -> executor -> vendors.http -> vendor

The import rules, checked by import-linter (`pyproject.toml`):

- Layers, each importing only what is below it: `wiring`, then `support`, `outreach` and `facts` side
  by side, then `shared`, `settings`, `vendors`, `once`, `redaction`, `tables` beside `ready`, and at the
  bottom `errors` and `clock`.  No system imports another, and only what builds one imports `shared`.
- `aws` implements the ports of `once`; only `wiring` imports it, and fills those of `shared` with it.
- No two modules or packages import each other in a circle, on any level.
- boto3 is imported only in `aws` and `wiring` (botocore also where AWS is the vendor: SES, S3);
  requests only in `vendors`; chalice only in `app.py`.
- Webhooks, jobs, keys and plans are pure: no environment, no storage, no HTTP.
"""

import gc
import os

# Nothing that a start makes is garbage, and looking through it takes a sixth of a start.
if os.environ.get("_HANDLER", "").startswith("app."):
    gc.disable()  # `wiring.warm` ends it

# No plugin of pydantic's is used; looking for one reads what every installed distribution declares,
# at each cold start.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
