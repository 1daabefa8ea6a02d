"""What in a user's message is to become memory, by rules alone: no model is asked, and nothing waits."""

from memoryd_actors.capture.captured import Captured as Captured
from memoryd_actors.capture.explicit import explicit as explicit
from memoryd_actors.capture.explicit import may_ask as may_ask
from memoryd_actors.capture.procedure import procedure as procedure
from memoryd_actors.capture.standing_instruction import standing_instruction as standing_instruction

__all__ = ["Captured", "explicit", "may_ask", "procedure", "standing_instruction"]
