"""Several processes decide and take rewards, on one SQLite file.

    python tests/bandit/log/crowd.py --processes 4 --pairs 10000

Each decides with a copy of the published bandit, stores the decision, and takes the rewards of what
its neighbour decided; some are sent twice, also to the process that decided. One process learns
meanwhile. Afterwards no id was issued twice, every reward is its decision's, what was learnt adds
up, and every message that was sent twice was recognised by one of those who got it.
"""

import argparse
import json
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from bandstrap import Bandit, LinThompson
from bandstrap.bandit.log.store import DecisionStore

ARMS = ["a", "b", "c"]
TWICE = 0.2  # the share of rewards that are sent twice
RUN = "import crowd, sys; crowd.work(*sys.argv[1:3], *map(int, sys.argv[3:]))"
LEARN = "import crowd, sys; crowd.learn(sys.argv[1], int(sys.argv[2]))"


def reward_of(number: float, arm: str) -> float:
    """What belongs to one decision and to no other."""
    return (number * 0.37 + ARMS.index(arm) * 0.11) % 1.0


class Neighbour:
    """The decisions that another process tells of, as they come."""

    def __init__(self, path: Path) -> None:
        path.touch()
        self._file = open(path)  # noqa: SIM115 - as long as the process lives
        self._rest = ""

    def news(self) -> list[dict[str, object]]:
        *lines, self._rest = (self._rest + self._file.read()).split("\n")
        return [json.loads(line) for line in lines]


def work(path: str, folder: str, own: int, processes: int, pairs: int) -> None:
    """Decide `pairs` times, and reward as many decisions of the neighbour."""
    store, moments, said = DecisionStore(path), random.Random(own), Counter[str]()
    neighbour = Neighbour(Path(folder) / f"{(own + 1) % processes}")
    version, ids, rewarded = store.bandit(), [], 0
    assert version is not None
    with open(Path(folder) / f"{own}", "a", buffering=1) as out:
        while len(ids) < pairs or rewarded < pairs:
            if len(ids) % 100 == 50:
                version = store.bandit(after=version.number) or version
            if len(ids) < pairs:
                number = own * pairs + len(ids)
                decision = version.bandit.decide([number / 1e5, moments.random()])
                version.bandit.drop(decision)
                store.add(decision)
                ids.append(decision.id)
                told = {"id": decision.id, "reward": reward_of(number, str(decision.arm))}
                out.write(json.dumps(told) + "\n")
                if moments.random() < TWICE:
                    said["sent twice"] += 1
                    said[store.reward(told["id"], float(told["reward"])).value] += 1
            news = neighbour.news()
            for it in news:
                said[store.reward(it["id"], it["reward"]).value] += 1
                rewarded += 1
            if not news and len(ids) == pairs:
                time.sleep(0.01)
    print(json.dumps({"ids": ids, "said": said}))


def learn(path: str, total: int) -> None:
    """Until all rewards are learnt."""
    store, learnt = DecisionStore(path), 0
    while learnt < total:
        learnt += store.learn()
        time.sleep(0.02)


def crowd(folder: Path, processes: int, pairs: int) -> Counter[str]:
    """The answers to rewards, after all has been checked."""
    path, total = folder / "store.sqlite", processes * pairs
    store = DecisionStore(path)
    store.publish(Bandit(LinThompson(), ARMS, seed=1))
    numbers = [(own, processes, pairs) for own in range(processes)]
    started = [_process(RUN, path, folder, *some) for some in numbers]
    learner = _process(LEARN, path, total)
    told = [json.loads(each.communicate()[0]) for each in started]
    learner.communicate()
    assert [each.returncode for each in (*started, learner)] == [0] * (processes + 1)
    ids = [name for each in told for name in each["ids"]]
    assert len(ids) == len(set(ids)) == total, "an id was issued twice"
    said: Counter[str] = sum((Counter(each["said"]) for each in told), Counter())
    assert said["kept"] == total
    assert said["duplicate"] == said["sent twice"] == said.total() - total - said["duplicate"]
    _check_credit(store, ids, pairs)
    return said


def _check_credit(store: DecisionStore, ids: list[str], pairs: int) -> None:
    numbers = {name: number for number, name in enumerate(ids)}
    rewards = store.rewards()
    for told in rewards:
        number = numbers[told.id]
        assert told.context[0][0] == number / 1e5
        assert told.reward == reward_of(number, str(told.arm)), "a reward was credited wrongly"
    version = store.bandit()
    assert version is not None
    assert version.learnt == rewards[-1].number
    for each in version.bandit.stats().arms:
        own = [told.reward for told in rewards if told.arm == each.arm]
        assert each.rewards == len(own)
        assert abs((each.mean or 0.0) * len(own) - sum(own)) < 1e-6


def _process(code: str, *given: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(HERE)!r}); {code}"]
    return subprocess.Popen([*command, *map(str, given)], stdout=subprocess.PIPE, text=True)


HERE = Path(__file__).parent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--pairs", type=int, default=10_000)
    given = parser.parse_args()
    begun = time.perf_counter()
    with TemporaryDirectory() as folder:
        said = crowd(Path(folder), given.processes, given.pairs)
    print(
        f"{given.processes} processes, {given.pairs} decisions and rewards each, in "
        f"{time.perf_counter() - begun:.0f} s: 0 ids twice, 0 wrong credits, 0 errors, "
        f"{said['duplicate']} of {said['sent twice']} duplicates recognised"
    )


if __name__ == "__main__":
    main()
