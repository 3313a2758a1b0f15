"""What was decided where the paper slips or is silent; reports show it."""

_TEXT = """\
Forced pulls of Theorem 2: The theorem prints m = ⌈(16 log T / T)^⅓⌉, which is 1 from T = 68 on. We
take the proof's m = ⌈16 log T / D²⌉ with D = (16 log T / T)^⅓, and never more than the horizon
allows.

Beta equivalence: The proof swaps its two exponentials. Here successes carry α and failures β.

Triangular rewards: A triangle over all of [0, 1] has its mean between ⅓ and ⅔, so means drawn from
[0, 1] need another: ours is symmetric about the mean μ, with half-width min(μ, 1 − μ).

Truncated normal rewards: Regret is counted with the mean of the truncated law, not of the normal
behind it.

NPB on rewards between 0 and 1: “npb” resamples the rewards themselves; “npb-binomial” is the
binomial estimator that the text also points to. Both have a verdict; the headline is resampling,
with which the paper's order can be true.

Ties: Arms with equal draws are chosen between at random. By index, NPB would be biased, since its
draws tie often.

Scale of contexts: CovType: the ten numeric columns are standardised, the 44 indicators stay 0 or 1.
MNIST: pixels are divided by 255. Models have an intercept, and every run shuffles the rows.

Pseudo-examples: They lie at the square roots of the covariance's eigenvalues along its
eigenvectors. Directions without variance have theirs at 0, where they pull the intercept alone.

Widths of linear UCB and TS: The paper prints none. The headline is a fixed width of 1 (“-fixed”);
OFUL's ellipsoid and Agrawal and Goyal's v, as published, and narrower widths have their own
verdicts.

Pseudo-examples of ε-greedy: The paper adds pseudo-examples for bootstrapping. The headline gives
ε-greedy none (“-bare”): with them greedy itself explores, and no schedule matters.

O(d) Gaussian pseudo-examples: The paper says neither how many nor how wide. The headline is d of
width 1; 4d, and the contexts' root mean square as the width, have their own verdicts.

What a round draws: Fresh weights for every observation and every pseudo-example of every arm.
Whatever draws less is an approximation and says so in its name.

When a fit is done: The paper stops its optimiser early. Here a draw is solved to a stated
tolerance; names with “-paper” follow the paper's warm start, penalty and early stop: after five
passes without improvement, or after the first (“-paper-first”), which as far as we know was
scikit-learn's rule before 0.20.

Costly policies: Policies whose rounds cost more as history grows may play fewer rounds; tables say
how many. A statement about the paper's 50,000 rounds is open until all are played. Costs are timed
at given lengths of one history that all policies are given.

Five and two arms: The text states the order of figure 1 for ten arms; with five and with two it is
our question, not the paper's claim.
"""

DECISIONS = dict(" ".join(each.split()).split(": ", 1) for each in _TEXT.split("\n\n"))
