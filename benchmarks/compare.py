"""Does `bandstrap compare` tell what its code costs, and does the code begin where the run ended?

For each policy: compare a table, run the printed code in another folder, go on with it on rows that
it has never seen, and time these. Beside it, a bandit that starts cold plays as many rounds as the
comparison did, the last of them on the same rows. Both decide as a product does, at the price of
the propensity's floor. 500 rewards of one table are noise: `--tables` is how many are compared.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

POLICIES = "ucb-lin-fixed,ts-laplace,glm-ucb,wb-log-gaussian,eg-log,wb-log,ensemble-nn"
COLUMNS = ["price", "age", "city"]
NAMES = ["red", "green", "blue", "none"]
LIVE = 500  # rounds after the warm start
FIRST = 3  # decisions that are not timed: something may have to be compiled
GOES_ON = """
import json, time
import numpy as np
import pandas as pd

rows = pd.read_csv({fresh!r}, dtype={{"price": str}})[{columns!r}].to_dict("records")
paid = json.loads(open({paid!r}).read())
spent, earned = [], []
for row, pays in zip(rows, paid):
    begun = time.process_time()
    decision = bandit.decide(encode(row))
    reward = min(max(pays[decision.arm], bandit.support.low), bandit.support.high)
    bandit.learn(decision.id, reward=reward)
    spent.append(time.process_time() - begun)
    earned.append(reward)
timed = spent[{first}:]
print(json.dumps([1e6 * float(np.mean(timed)), float(np.mean(earned))]))
"""
COLD = """
import json
import numpy as np
import pandas as pd
from bandstrap.comparison.candidates import Selection
from bandstrap.comparison.product import live_bandit
from bandstrap.comparison.rewards import reward_source
from bandstrap.comparison.table import prepare
from bandstrap.tables.reading import Reading

source = reward_source(*{source!r})
table = prepare({table!r}, source, reading=Reading(kinds={{"price": "number"}}))
policy = Selection(({policy!r},)).candidates(())[{policy!r}]
bandit, encode = live_bandit(policy, table.rewards, seed=0), table.encoder
rows = pd.read_csv({fresh!r}, dtype={{"price": str}})[{columns!r}].to_dict("records")
paid = json.loads(open({paid!r}).read())
earned = []
for row, pays in zip(rows, paid):
    decision = bandit.decide(encode(row))
    reward = min(max(pays[decision.arm], bandit.support.low), bandit.support.high)
    bandit.learn(decision.id, reward=reward)
    earned.append(reward)
print(json.dumps(float(np.mean(earned[-{live}:]))))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--policies", default=POLICIES)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--kinds", default="label,rewards")
    parser.add_argument("--tables", type=int, default=4)
    given = parser.parse_args()
    print(f"{'':24} {'µs told':>9} {'µs live':>9} {'ratio':>6} {'cold':>8} {'warm':>8} {'more':>8}")
    for kind in given.kinds.split(","):
        for policy in given.policies.split(","):
            found = [tried(kind, policy, given.rounds, seed) for seed in range(given.tables)]
            print(f"{kind:8}{policy:16} {shown(np.array(found))}", flush=True)


def shown(found: np.ndarray) -> str:
    """Costs of the least disturbed table, means of what was earned, and the difference."""
    told, live = min(found[:, :2].tolist(), key=sum)
    cold, warm = found[:, 2:].mean(axis=0)
    more = found[:, 3] - found[:, 2]
    error = more.std(ddof=1) / np.sqrt(more.size) if more.size > 1 else np.nan
    costs = f"{told:9,.0f} {live:9,.0f} {live / told:6.2f}"
    return f"{costs} {cold:8.4g} {warm:8.4g} {more.mean():+8.3g} ± {error:.2g}"


Tried = tuple[float, float, float, float]


def tried(kind: str, policy: str, rounds: int, seed: int) -> Tried:
    """What the comparison says of the cost, what the code costs, and what both bandits earn."""
    with TemporaryDirectory() as folder:
        return tried_in(Path(folder), kind, policy, rounds, seed)


def tried_in(folder: Path, kind: str, policy: str, rounds: int, seed: int) -> Tried:
    """The same, with the files in a folder."""
    table, fresh, paid, started = (folder / name for name in ("table.csv", "f.csv", "p", "s.csv"))
    world(rounds, 3 * seed + 1, kind)[0].to_csv(table, index=False)
    rows, pays = world(LIVE, 3 * seed + 2, kind)
    rows.to_csv(fresh, index=False)
    paid.write_text(json.dumps(pays))
    before, pays_before = world(rounds - LIVE, 3 * seed + 3, kind)
    pd.concat([before, rows]).to_csv(started, index=False)
    (folder / "c").write_text(json.dumps(pays_before + pays))
    source = ("--label", "best") if kind == "label" else ("--rewards", ",".join(NAMES))
    size = ("--rounds", str(rounds), "--runs", "2", "--workers", "1", "--as", "price=number")
    command = ("-m", "bandstrap", "compare", str(table), *source, "--policies", policy, *size)
    found = json.loads(run(folder, *command, "--json"))
    (folder / "elsewhere").mkdir()
    shared = {"fresh": str(fresh), "paid": str(paid), "columns": COLUMNS}
    code = found["code"] + GOES_ON.format(**shared, first=FIRST)
    live, warm = json.loads(run(folder / "elsewhere", "-c", code))
    named = ("best", None) if kind == "label" else (None, NAMES)
    shared |= {"fresh": str(started), "paid": str(folder / "c"), "live": LIVE}
    cold = run(folder, "-c", COLD.format(**shared, table=str(table), source=named, policy=policy))
    return found["ranking"][0]["cost"], live, json.loads(cold), warm


def run(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout


def world(rows: int, seed: int, kind: str) -> tuple[pd.DataFrame, list[dict[str, float]]]:
    """Customers with prices such as € 2.32, and what each arm pays them."""
    rng = np.random.default_rng(seed)
    price, age = rng.lognormal(3, 1, rows), rng.integers(18, 80, rows)
    city = rng.choice(["Oslo", "Rome", "Lima"], rows)
    worth = np.stack([price / 20, age / 40, 2.2 * (city == "Rome"), np.full(rows, 1.1)], axis=1)
    worth += 0.3 * rng.standard_normal(worth.shape)
    columns = [[f"€ {each:.2f}" for each in price], age, city]
    frame = pd.DataFrame(dict(zip(COLUMNS, columns, strict=True)))
    if kind == "label":
        paid = (worth.argmax(axis=1)[:, None] == np.arange(4)).astype(float)
        frame["best"] = np.array(NAMES)[worth.argmax(axis=1)]
    else:
        paid = np.clip(50 * worth - 20, -20, 300)
        frame[NAMES] = paid
    return frame, [dict(zip(NAMES, each, strict=True)) for each in paid.tolist()]


if __name__ == "__main__":
    main()
