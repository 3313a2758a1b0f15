"""Which curve is drawn where: the paper's figure first, what we add after it."""

from synthetic import trace

from bandstrap.experiments import RunSize, Settings, stand_in
from bandstrap.experiments.figure2.experiment import COVTYPE, MNIST, Figure2CovType, Figure2MNIST
from bandstrap.experiments.figure2.players import KNOWN
from bandstrap.experiments.figure2.plot import AS_DRAWN, panels_of, style
from bandstrap.experiments.figure2.readings import PLOTTED

PAPER = ["ucb-lin-fixed", "ts-lin-fixed", "eg-lin-bare", "npb-lin", "wb-lin", "eg-log-bare",
         "npb-log", "wb-log", "eg-nn-bare", "npb-nn", "wb-nn"]  # fmt: skip
EVERY = [trace(name, 0.5) for name in sorted(KNOWN)]


def names(traces):
    return [trace.policy for trace in traces]


def test_the_papers_figure_comes_first_and_has_its_policies_alone():
    title, first = next(iter(panels_of(EVERY).items()))
    assert title == AS_DRAWN
    assert names(first) == PAPER == [*PLOTTED]


def test_every_other_policy_is_drawn_in_one_panel_beside_curves_of_the_paper():
    panels = panels_of(EVERY)
    added = [name for title, some in panels.items() if title != AS_DRAWN for name in names(some)]
    assert sorted(name for name in added if name not in PLOTTED) == sorted({*KNOWN} - {*PLOTTED})
    for some in panels.values():
        assert len(set(names(some))) == len(some)


def test_panels_that_would_only_repeat_the_figure_are_left_out():
    played = [trace(name, 0.5) for name in PAPER]
    assert list(panels_of(played)) == [AS_DRAWN]
    assert list(panels_of([*played, trace("eg-log-c5-bare", 0.5)])) == [
        AS_DRAWN,
        "schedules of ε-greedy",
    ]


def test_curves_of_the_paper_differ_in_colour_or_dashes():
    looks = {
        (style(name, place)["color"], style(name, place)["linestyle"])
        for place, name in enumerate(PAPER)
    }
    assert len(looks) == len(PAPER)


def test_chosen_policies_share_one_chart_and_are_ranked():
    chosen = Settings(policies=("wb-nn", "eg-log-c5", "wb-log"))
    traces = [trace("wb-nn", 0.6), trace("eg-log-c5", 0.7), trace("wb-log", 0.65, horizon=2000)]
    experiment = Figure2CovType()
    assert {title: names(some) for title, some in experiment.panels(chosen, traces).items()} == {
        "chosen": ["wb-nn", "eg-log-c5", "wb-log"]
    }
    (ranking,) = experiment.rankings(chosen, traces)
    assert ranking.measure == "reward per step"
    ranked = [each.policy for each in ranking.standings]
    assert ranked == ["eg-log-c5", "wb-nn", "wb-log"], "those that played fewer rounds come last"


def test_without_a_choice_the_papers_policies_are_ranked():
    (ranking,) = Figure2CovType().rankings(Settings(), EVERY)
    assert {each.policy for each in ranking.standings} == {*PLOTTED}


def test_titles_say_what_was_played():
    real, digits = [trace("wb-log", 0.5)], [trace("wb-log", 0.5, environment="digits")]
    assert Figure2CovType().titled(real) == Figure2CovType.title
    assert Figure2CovType().titled(digits) == (
        "Figure 2 (a): reward per step on CovType (played on digits in its place)"
    )
    assert "MNIST (played on covtype" in Figure2MNIST().titled(real)


def test_a_short_run_plays_all_rounds_of_the_papers_policies(monkeypatch):
    monkeypatch.setattr(stand_in, "_reachable", lambda dataset: False)
    settings = Settings(RunSize.SHORT)
    cells = COVTYPE.cells("x", settings, COVTYPE.short)
    assert [cell.policy_name for cell in cells] == PAPER
    assert {cell.horizon for cell in cells} == {COVTYPE.short[1]}
    assert {cell.runs for cell in cells} == {3}
    assert Figure2CovType().facts(settings) == {"data": "digits"}
    assert Figure2CovType().facts(Settings()) == {}


def test_costly_policies_play_at_least_as_many_rounds_as_asked_for():
    cells = {cell.policy_name: cell for cell in MNIST.cells("x", Settings(), (5, 50_000))}
    assert cells["wb-nn"].horizon == 20_857  # a round that others record too
    assert cells["wb-log"].horizon == 50_000
    few = {cell.policy_name: cell for cell in MNIST.cells("x", Settings(), (5, 300))}
    assert few["wb-nn"].horizon == 300
