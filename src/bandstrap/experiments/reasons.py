"""Why a claim was not reproduced where it was not, with the experiment that shows it.

Numbers are those of the kept runs (`evidence/`); docs/claims.md shows each beside its claim.
"""

_TEXT = """\
C6-numbers: NPB is stuck if the first m pulls of the better arm all pay 0, a chance of 2^−m, and
then for some exp(c m log m) rounds (C4): that outruns its rarity only where m, and with it T, is
huge, and until then NPB merely explores less than WB. In theorem1, which computes regret event by
event, NPB is the better of the two until T ≈ 10^32.3, and by T = 10^300 its exponent is .465.

C8-k2: The order turns with the number of arms: npb − wb is +3.42 ± .38, +.11 ± .09 and −.40 ± .03
with 10, 5 and 2 arms on truncated normal rewards, and +4.25 ± .37, +.58 ± .14 and −.30 ± .08 on
triangular ones (figure1, figure1-k5, figure1-k2). NPB explores less, which pays where one arm alone
can be missed and costs where nine can; the runs show the turn and do not separate its causes.

C9: Solved to the optimum, linear bootstraps do end slightly below logistic ones after 50,000
rounds (npb-lin .694 and npb-log .699, wb-lin .698 and wb-log .702), but linear UCB (.703) and
ε-greedy (eg-lin-bare .700) do not, and the five runs of eg-log-bare (.696) differ too much among
themselves to tell. Early on the bootstraps pay for exploring by their pseudo-examples, whatever the
model: after 3,254 rounds npb-log has earned .590 a step and eg-lin-bare .627, but npb-lin .554, and
wb-log .614 against .580 for wb-lin; where nothing but the model differs, logistic is behind only in
ε-greedy (eg-log-bare .620), by less than its error.

C14: Nothing beats 50 / (50 + t), but five runs cannot tell it from greedier schedules, whose runs
differ among themselves: without pseudo-examples greedy earned .652 with a standard error of .034,
c = 5 .663 ± .011, c = 15 .679 ± .011 and c = 50 .696 ± .001. Schedules matter less than the
pseudo-examples: with those of the bootstraps greedy itself explores and earned .704 (eg-log-0),
c = 50 .697.
"""

REASONS = dict(" ".join(each.split()).split(": ", 1) for each in _TEXT.split("\n\n"))
