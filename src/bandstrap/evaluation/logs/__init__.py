"""Logs of past decisions, of whatever format, as `Feedback`."""

from collections.abc import Iterable
from typing import Any

from bandstrap.bandit.decision import Arm
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.logs.columns import LogColumns
from bandstrap.evaluation.logs.formats import read
from bandstrap.evaluation.logs.gathering import AS_IT_IS, Options
from bandstrap.evaluation.logs.spill import LIMIT
from bandstrap.problem import Support
from bandstrap.tables.reading import Reading

__all__ = ["LogColumns", "read_log"]


def read_log(
    source: Any,
    *,
    context: Iterable[str] | None = None,
    arm: str | None = None,
    reward: str | None = None,
    propensity: str | None = None,
    weight: str | None = None,
    allowed: str | None = None,
    time: str | None = None,
    id: str | None = None,  # noqa: A002
    count: str | None = None,
    arms: Iterable[Arm] | None = None,
    rewards: Support | None = None,
    reading: Reading = AS_IT_IS,
    bad_lines: int = 0,
    memory: int = LIMIT,
) -> Feedback:
    columns = LogColumns(
        arm, reward, propensity, weight, allowed, time, id, count,
        None if context is None else tuple(context),
    )  # fmt: skip
    options = Options(arms, rewards, reading, bad_lines, memory)
    return read(source, columns, options)
