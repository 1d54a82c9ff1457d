"""A project's `channel_config`, its senders on each channel, as `company put` validates it.

At run time a sender's texts are used unvalidated (`project.Project.sender`).
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from chalicelib.outreach.project.fields import Email, Name, Phone


class Open(BaseModel):
    """A settings model that allows unknown attributes, as other systems store theirs in the same item.

    `project.check.unknown_names` lists them.
    """

    model_config = ConfigDict(
        frozen=True, extra="allow", hide_input_in_errors=True, defer_build=True
    )


class WhatsApp(Open):
    """A project's WhatsApp sender (`channel_config.whatsapp`).

    `template_opt_out` says how the approved template lets the recipient opt out;
    `template_category` is the category in which WhatsApp approved it; `reopening_template_sid`
    names the template that carries a message after the 24-hour window.
    """

    company_whatsapp_number: Phone
    whatsapp_credentials_id: Name
    template_opt_out: Literal["text", "button"] | None = None
    template_category: Literal["marketing", "utility", "authentication"] | None = None
    reopening_template_sid: Annotated[str, Field(pattern="^HX[0-9a-fA-F]{32}$")] | None = None
    opt_out_answers: Literal["carrier", "own"] | None = None
    template_variables: list[Any] | dict[str, Any] | None = None


class Sms(Open):
    """A project's SMS sender (`channel_config.sms`)."""

    company_sms_number: Phone
    sms_credentials_id: Name
    opt_out_answers: Literal["carrier", "own"] | None = None


class Mail(Open):
    """A project's e-mail sender (`channel_config.email`)."""

    company_email: Email
    email_from_name: Name | None = None
    default_subject_line: Name | None = None


class ChannelConfig(Open):
    """A project's senders on each channel (`channel_config`)."""

    whatsapp: WhatsApp | None = None
    sms: Sms | None = None
    email: Mail | None = None
