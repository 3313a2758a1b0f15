"""A shop: rewards that come late or never, and a process that is restarted in the middle.

Every visitor is shown one of three banners. Who buys does so some visits later; who does not is
never heard of again. Half-way the process ends: the bandit is saved, and another one goes on.
"""

from collections import deque
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bandstrap import Bandit, ContextualBootstrap, EigenExamples, Expiry, Exponential, Support
from bandstrap.models import GaussianLimit, LogisticRegression

BANNERS = ["summer", "sale", "new"]
PATIENCE = 60  # visits after which a purchase is no longer expected


class Shop:
    """Visitors, and purchases that arrive up to 40 visits after the banner was shown."""

    def __init__(self, seed=0):
        self.rng = np.random.default_rng(seed)
        self.on_their_way = deque()  # (visit, id of the decision)
        self.visits = 0

    def visitor(self):
        self.visits += 1
        returning, basket = self.rng.random() < 0.5, self.rng.exponential()
        return {"returning": bool(returning), "basket": float(min(basket, 4.0))}

    def show(self, who, decision):
        """Returning visitors like what is new, full baskets like a sale."""
        liking = {"summer": 0.15, "sale": 0.2 * who["basket"], "new": 0.6 * who["returning"]}
        if self.rng.random() < min(liking[decision.arm], 0.9):
            late = self.visits + int(self.rng.integers(1, 40))
            self.on_their_way.append((late, decision.id))

    def purchases(self):
        """The decisions whose purchases have arrived by now."""
        arrived = [number for visit, number in self.on_their_way if visit <= self.visits]
        self.on_their_way = deque(x for x in self.on_their_way if x[0] > self.visits)
        return arrived


def new_bandit():
    model = GaussianLimit(LogisticRegression())  # an approximation whose cost does not grow
    policy = ContextualBootstrap(Exponential(), model, EigenExamples())
    silence = Expiry(decisions=PATIENCE, reward=0.0)
    return Bandit(policy, BANNERS, rewards=Support.binary(), expiry=silence, seed=0)


def serve(bandit, shop, visits):
    """Play `visits` visits; how many purchases arrived meanwhile."""
    sold = 0
    for _ in range(visits):
        who = shop.visitor()
        shop.show(who, bandit.decide(who))
        arrived = shop.purchases()
        bandit.learn(arrived, reward=[1.0] * len(arrived))
        sold += len(arrived)
    return sold


def main(visits=1200):
    shop = Shop()
    bandit = new_bandit()
    early = serve(bandit, shop, visits // 3)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "banners.bandit"
        bandit.save(path)
        del bandit  # the process ends here; purchases of its decisions are still on their way
        bandit = Bandit.load(path)
        serve(bandit, shop, visits // 3)
        late = serve(bandit, shop, visits // 3)
    print(f"{early} sold in the first {visits // 3} visits, {late} in the last")
    print(f"{bandit.rewards_learnt} rewards learnt, {bandit.decisions_waiting} still awaited")
    return early, late, bandit


if __name__ == "__main__":
    main()
