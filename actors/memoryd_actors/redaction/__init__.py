"""Secrets and personal data leave a text before anything else sees it: not stored, not embedded, not sent to a model.

Every rule is pure and bounded; see `redact` for the promises. In the order in which a text passes through: `blocks`
(private keys, Kubernetes secrets), `vendors` (tokens known by their format), `locators` (URLs, command lines),
`assignments` (a name that says what its value is), `prose` (a sentence that does), `personal` (numbers that name a
person); `doubt` and `harmless` speak against it.
"""

from memoryd_actors.redaction.finding import Redacted as Redacted
from memoryd_actors.redaction.finding import SecretFinding as SecretFinding
from memoryd_actors.redaction.redactor import redact as redact
from memoryd_actors.redaction.remembered import redacted as redacted
from memoryd_actors.redaction.rules import Rules as Rules

__all__ = ["Redacted", "Rules", "SecretFinding", "redact", "redacted"]
