"""What happens beside the rounds of a batch: it is saved now and then, and its progress shown."""

from collections.abc import Callable
from math import inf
from time import monotonic

from bandstrap.simulation.batch import Batch, Play, Watch
from bandstrap.simulation.kept.checkpoint import Slot
from bandstrap.storage.packing import CannotPack

SHOW_EVERY = 0.2  # seconds
SHARE = 20  # saving takes at most one part in so many of the time


class Observer(Watch):
    """Saves a batch every so many seconds and tells how many rounds have been played."""

    def __init__(
        self, batch: Batch, slot: Slot | None, save_every: float, tell: Callable[[int], None]
    ) -> None:
        self.batch = batch
        self.slot = slot
        self.save_every = save_every
        self.tell = tell
        now = monotonic()
        self._show_at = now + SHOW_EVERY
        self._save_at = now + save_every if slot is not None else inf
        self.due = min(self._show_at, self._save_at)

    def resumed(self) -> Play | None:
        if self.slot is None:
            return None
        return self.slot.load_midway(self.batch)

    def look(self, play: Play) -> None:
        now = monotonic()
        if now >= self._show_at:
            self.tell(play.played * self.batch.runs)
            self._show_at = now + SHOW_EVERY
        if now >= self._save_at:
            self._save(play, now)
        self.due = min(self._show_at, self._save_at)

    def _save(self, play: Play, now: float) -> None:
        assert self.slot is not None
        try:
            self.slot.save_midway(play)
        except CannotPack:  # a policy of the user's own making: it is saved when it is done
            self._save_at = inf
            return
        took = monotonic() - now
        self._save_at = monotonic() + max(self.save_every, SHARE * took)
