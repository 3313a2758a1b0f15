"""The named policies that see no contexts."""

from bandstrap import resampling
from bandstrap.policies.entry import (
    BOUNDED,
    CATEGORIES,
    FORGET,
    OURS,
    TAKE_FRACTIONS,
    THE_PAPER,
    UNIT,
    Entry,
)
from bandstrap.policies.forced_pulls import ForcedPulls
from bandstrap.policies.rewards.besa import BESA
from bandstrap.policies.rewards.beta_thompson import BetaThompson
from bandstrap.policies.rewards.binomial_bootstrap import BinomialBootstrap
from bandstrap.policies.rewards.bootstrap import Bootstrap
from bandstrap.policies.rewards.bootstrapped_thompson import BootstrappedThompson
from bandstrap.policies.rewards.dirichlet_thompson import DirichletThompson
from bandstrap.policies.rewards.epsilon_greedy import EpsilonGreedy
from bandstrap.policies.rewards.gaussian_thompson import GaussianThompson
from bandstrap.policies.rewards.giro import Giro
from bandstrap.policies.rewards.online_bootstrap import OnlineBootstrap
from bandstrap.policies.rewards.perturbed_history import PerturbedHistory
from bandstrap.policies.rewards.reboot import ReBoot
from bandstrap.policies.rewards.ucb.bootstrapped_ucb import BootstrappedUCB
from bandstrap.policies.rewards.ucb.kl_ucb import KLUCB
from bandstrap.policies.rewards.ucb.ucb1 import UCB1
from bandstrap.priors import PseudoRewards

NPB = f"{THE_PAPER}, section 3"
WB = f"{THE_PAPER}, section 4"
AUER = "Auer, Cesa-Bianchi and Fischer (2002)"
RIOU = "Riou and Honda (2020)"
REDRAWN = "a draw in which all weights are zero is drawn again"

ENTRIES = (
    Entry(
        "wb", lambda: Bootstrap(resampling.Exponential()), "wb", "", WB,
        "Weighted bootstrap: the mean of each arm's rewards under fresh exponential weights.",
        "exact", "log n",
        note="for all rewards, without walking the history; on 0/1 rewards it is Thompson "
        "sampling (claims C1 and C2)", rewards=BOUNDED,
        exact_probabilities=True,
    ),
    Entry(
        "npb", lambda: Bootstrap(resampling.Multinomial()), "npb", "", NPB,
        "Non-parametric bootstrap: the mean of each arm's rewards drawn with replacement.",
        "exact", "log n", rewards=BOUNDED,
        exact_probabilities=True,
    ),
    Entry(
        "npb-binomial", BinomialBootstrap, "npb", "", NPB,
        "Non-parametric bootstrap by the paper's binomial formula for 0/1 rewards.",
        "exact on 0/1 rewards", "constant", variant="binomial",
        note="on others the formula taken literally: the sum of rewards counts the ones",
        rewards=BOUNDED, cannot=(FORGET, TAKE_FRACTIONS),
        exact_probabilities=True,
    ),
    Entry(
        "wb-additive", lambda: Bootstrap(resampling.GaussianNoise(), PseudoRewards(0, 0)), "wb", "",
        f"{WB} and appendix",
        "Weighted bootstrap with additive normal weights.",
        "exact", "constant", variant="additive",
        note="without pseudo-rewards, so that each arm is tried once first",
        exact_probabilities=True,
    ),
    Entry(
        "wb-poisson", lambda: Bootstrap(resampling.Poisson()), "wb", "",
        "Oza and Russell (2001); Chamandy et al. (2012)",
        "Weighted bootstrap with Poisson weights.",
        "exact", "log n", variant="poisson", note=REDRAWN, rewards=BOUNDED,
    ),
    Entry(
        "wb-double", lambda: Bootstrap(resampling.DoubleOrNothing()), "wb", "",
        "Owen and Eckles (2012)",
        "Weighted bootstrap in which each reward counts double or not at all.",
        "exact", "n", variant="double", note=REDRAWN, rewards=BOUNDED,
    ),
    Entry(
        "greedy", lambda: Bootstrap(resampling.NoResampling()), "greedy", "", OURS,
        "The arm with the best mean so far, pseudo-rewards included.",
        "exact", "constant", note="nothing is random but ties", rewards=BOUNDED,
        exact_probabilities=True,
    ),
    Entry(
        "npts", lambda: Bootstrap(resampling.Exponential(), PseudoRewards(1, 0)), "ts", "", RIOU,
        "Non-parametric Thompson sampling: exponential weights and one pseudo-reward of 1.",
        "exact", "log n", variant="npts", rewards=BOUNDED,
        exact_probabilities=True,
    ),
    Entry(
        "ts", BetaThompson, "ts", "", "Thompson (1933); Agrawal and Goyal (2012)",
        "Thompson sampling from a beta posterior; rewards other than 0 and 1 are rounded.",
        "exact on 0/1 rewards", "constant", note="rounding at random is what the paper compares",
        rewards=UNIT, learns_at_random=True,
        exact_probabilities=True,
    ),
    Entry(
        "ts-dirichlet", DirichletThompson, "ts", "", RIOU,
        "Thompson sampling from a Dirichlet posterior, for rewards from a few known values.",
        "exact", "constant", variant="dirichlet", rewards=CATEGORIES,
        exact_probabilities=True,
    ),
    Entry(
        "ts-gaussian", GaussianThompson, "ts", "", "Thompson (1933)",
        "Thompson sampling for Gaussian rewards of known spread, with a flat prior.",
        "exact", "constant", variant="gaussian",
        exact_probabilities=True,
    ),
    Entry(
        "npb-forced", lambda: ForcedPulls(30), "npb", "", f"{THE_PAPER}, section 3.3",
        "Non-parametric bootstrap after 30 forced pulls of each arm.",
        "exact after the pulls", "log n", variant="forced",
        note="30 is ours; `ForcedPulls.for_horizon` has the theorem's number", rewards=BOUNDED,
        exact_probabilities=True,
    ),
    Entry(
        "eg", EpsilonGreedy, "eg", "", AUER,
        "Epsilon-greedy with ε = 50 / (50 + t).",
        "exact", "constant", note="the schedule is the paper's", exact_probabilities=True,
    ),
    Entry(
        "ucb1", UCB1, "ucb", "", AUER,
        "The arm with the highest upper confidence bound, by Hoeffding's inequality.",
        "exact", "constant", note="scaled to the length of the support",
        rewards=BOUNDED, exact_probabilities=True,
    ),
    Entry(
        "kl-ucb", KLUCB, "ucb", "", "Garivier and Cappé (2011)",
        "The arm with the highest upper confidence bound, by Kullback–Leibler divergence.",
        "exact", "constant", variant="kl", note="with c = 0, their advice for practice",
        rewards=BOUNDED, exact_probabilities=True,
    ),
    Entry(
        "besa", BESA, "subsampling", "", "Baransi, Maillard and Mannor (2014)",
        "Duels of arms on equally many rewards, sub-sampled from the longer history.",
        "exact", "n", note="more than two arms by their knockout tournament",
        cannot=(FORGET, TAKE_FRACTIONS),
    ),
    Entry(
        "online-bootstrap", OnlineBootstrap, "ensemble", "", "Eckles and Kaptein (2014)",
        "A fixed set of replicas that each weigh a reward once, as it arrives.",
        "100 replicas", "constant",
        note="theirs is an approximation of the bootstrap: weights are drawn once; they are 0 or "
        "2, next to which pseudo-rewards count half as much as in R's `contextual`",
        rewards=BOUNDED, learns_at_random=True,
        exact_probabilities=True,
    ),
    Entry(
        "bts", BootstrappedThompson, "wb", "", "Osband and Van Roy (2015)",
        "Weighted bootstrap with an artificial history drawn for every decision.",
        "exact", "n", variant="artificial",
        note="two uniform rewards for each arm as its artificial history are our choice",
        rewards=BOUNDED, cannot=(FORGET, TAKE_FRACTIONS),
    ),
    Entry(
        "giro", Giro, "npb", "", "Kveton et al. (2019a)",
        "Bootstrap of a history in which each reward brings a pseudo-reward of 0 and one of 1.",
        "exact", "log n", variant="giro", rewards=BOUNDED, cannot=(FORGET, TAKE_FRACTIONS),
        exact_probabilities=True,
    ),
    Entry(
        "phe", PerturbedHistory, "phe", "", "Kveton et al. (2019b)",
        "The mean of an arm's rewards and of coin flips, some for each reward.",
        "exact", "constant", note="for rewards in [0, 1]; other supports are rescaled",
        rewards=BOUNDED,
        exact_probabilities=True,
    ),
    Entry(
        "reboot", ReBoot, "reboot", "", "Wang et al. (2020)",
        "The mean of an arm's rewards, and their residuals under random normal weights.",
        "exact", "constant",
        note="two pseudo-residuals as theirs; their size, 1 times half the rewards' interval, is "
        "our choice",
        exact_probabilities=True,
    ),
    Entry(
        "ucb-bootstrap", BootstrappedUCB, "ucb", "", "Hao et al. (2019)",
        "The arm with the highest upper quantile of the multiplier bootstrap, corrected.",
        "quantile of 200 draws", "n", variant="bootstrap",
        note="with their constants and correction; `PracticalCorrection` is what they advise",
        rewards=BOUNDED, cannot=(FORGET, TAKE_FRACTIONS),
    ),
)  # fmt: skip
