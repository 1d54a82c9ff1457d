"""Every step of setup, in order: first those that others need, then each system's, then the trials.

Setup does not wait for a step that a person does (`do` is None).  It goes on, and prints at the end what
the person must enter.
"""

from __future__ import annotations

from collections.abc import Collection

from ops.setup import doing, systems, trials
from ops.setup.walk import SetupStep

STEPS: tuple[SetupStep, ...] = (
    SetupStep(
        "place",
        "stage",
        "everything below would be made in the wrong account",
        "export AWS_PROFILE=<yours> AWS_DEFAULT_REGION=<region>",
        do=doing.place,
    ),
    SetupStep(
        "limits",
        "stage",
        "a new account runs ten functions at once, which is fewer than the stage has workers",
        "Service Quotas: AWS Lambda, Concurrent executions",
        checks=("concurrency",),
    ),
    SetupStep(
        "access",
        "stage",
        "the permissions, the role that deploys, and the bucket of its code",
        "an administrator of the account: python -m ops access",
        checks=("access",),
        do=doing.access,
    ),
    SetupStep(
        "variables",
        "stage",
        "the stage's systems, and their settings without a default",
        "name them in [variables]",
        do=doing.variables,
        seen=doing.variables_seen,
    ),
    SetupStep(
        "secrets",
        "stage",
        "a door without its secret is closed; without the keys of ids and jobs nothing is kept",
        "put each into the variable that [secrets] names for it",
        checks=("secrets", "vendor secrets"),
        do=doing.secrets,
    ),
    SetupStep(
        "company secrets",
        "outreach",
        "a company's own credentials are tried before anything is deployed for it",
        "put each into the variable that [secrets] names for it, and name the company's file",
        do=systems.company_secrets,
        seen=systems.company_secrets_seen,
    ),
    SetupStep(
        "dataset",
        "facts",
        "Power BI's dataset is made once, and its id is a setting",
        "the application's access to the workspace: docs/facts.md#setting-it-up",
        checks=("report",),
        do=systems.dataset,
    ),
    SetupStep(
        "deploy",
        "stage",
        "tables, queues, switches, alarms, functions and routes",
        "python -m ops doctor",
        checks=("tables", "resources", "functions", "alarms"),
        without=("alarms ringing", "alarm recipients"),
        do=doing.deploy,
    ),
    SetupStep(
        "address",
        "stage",
        "signatures and links are made over the stage's own address",
        "python -m ops doctor",
        checks=("address", "functions"),
        do=doing.own_address,
    ),
    SetupStep(
        "recipients",
        "stage",
        "without a recipient an alarm reaches no one",
        "name an address in the answers: alarm_email",
        do=doing.recipients,
        seen=doing.recipients_seen,
    ),
    SetupStep(
        "onelake tables",
        "facts",
        "facts wait until the tables are in OneLake",
        "python -m ops facts create",
        checks=("onelake",),
        do=systems.mirrored_tables,
    ),
    SetupStep(
        "richpanel tags",
        "support",
        "a plan leaves a tag out that the tenant lacks",
        "python -m ops support-tags --create",
        checks=("richpanel",),
        findings=("richpanel", "richpanel tags"),
        do=systems.tags,
    ),
    SetupStep(
        "first company",
        "outreach",
        "without a company there is no one to send for",
        "put the company's item right; its file is named by company in the answers",
        do=systems.first_company,
        seen=systems.first_company_seen,
    ),
    *(
        SetupStep(f"trial {name}", system, why, "python -m ops doctor", do=do, is_needed=False)
        for name, system, why, do in (
            ("richpanel", "support", "a real ticket is read and decided", trials.richpanel),
            ("start", "outreach", "the Router's door and the writer", trials.start),
            ("twilio", "outreach", "Twilio's door and its signature", trials.twilio),
            ("mail", "outreach", "the mail function", trials.mail),
            ("aloware", "facts", "Aloware's door", trials.aloware),
            ("hubspot", "facts", "HubSpot's door and its signature", trials.hubspot),
        )
    ),
)


def of(wanted: Collection[str]) -> list[SetupStep]:
    """The steps of a stage that runs these systems."""
    return [step for step in STEPS if step.system in ("stage", *wanted)]
