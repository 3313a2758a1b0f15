"""A front page: a thousand articles with features, readers with tastes, new articles every hour.

One model serves all articles. It sees an article's features, the reader's and their products, so a
new article profits at once from what is known of articles like it.
"""

import numpy as np

from bandstrap import (
    Bandit,
    EigenExamples,
    Exponential,
    LogisticRegression,
    SharedBootstrap,
    Support,
)

TOPICS = ["politics", "sport", "science"]


def article(rng):
    """How much of each topic an article has."""
    return rng.dirichlet([0.4] * len(TOPICS))


def reader(rng):
    """The topic that a reader came for."""
    wanted = rng.integers(len(TOPICS))
    return {topic: float(i == wanted) for i, topic in enumerate(TOPICS)}


def clicks(rng, who, features):
    match = sum(who[topic] * share for topic, share in zip(TOPICS, features, strict=True))
    return float(rng.random() < 0.05 + 0.6 * match)


def main(readers=400, articles=1000):
    rng = np.random.default_rng(0)
    known = {f"article {i}": article(rng) for i in range(articles)}
    # Solved anew for every decision; with a long history Replicas(OnlineLogistic()) costs less.
    policy = SharedBootstrap(Exponential(), LogisticRegression(), EigenExamples())
    bandit = Bandit(policy, arms=known, rewards=Support.binary(), seed=0)
    read = []
    for i in range(readers):
        if i % 50 == 49:  # an hour has passed: one article goes, another comes
            gone, new = f"article {i // 50}", f"news {i // 50}"
            bandit.remove_arm(gone)
            known[new] = article(rng)
            bandit.add_arm(new, features=known[new])
        who = reader(rng)
        decision = bandit.decide(who)
        read.append(clicks(rng, who, known[decision.arm]))
        bandit.learn(decision, read[-1])
    early, late = float(np.mean(read[:50])), float(np.mean(read[-200:]))
    print(f"{early:.0%} of the first 50 readers clicked, {late:.0%} of the last 200")
    print(
        "for a fan of sport:", ", ".join(bandit.rank({t: float(t == "sport") for t in TOPICS}, 3))
    )
    return early, late, bandit


if __name__ == "__main__":
    main()
