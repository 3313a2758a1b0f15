"""Vowpal Wabbit reads what we write. Runs where it is installed, or where BANDSTRAP_VW names the
Python of an environment that has it."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest
from logged_worlds import feedback

from bandstrap.evaluation.logs import read_log, write_dsjson

PYTHON = os.environ.get("BANDSTRAP_VW", sys.executable if find_spec("vowpalwabbit") else "")
pytestmark = pytest.mark.skipif(not PYTHON, reason="no Vowpal Wabbit")

SCRIPT = """
import json, sys
import vowpalwabbit as vw

workspace = vw.Workspace(f"{sys.argv[2]} --dsjson --quiet --no_stdin")
told = []
for line in open(sys.argv[1]):
    examples = workspace.parse(line)
    labels = [each.get_label(vw.LabelType.CONTEXTUAL_BANDIT) for each in examples]
    found = [
        (place, cost.cost, cost.probability, label.weight, examples[place].get_tag())
        for place, label in enumerate(labels)
        for cost in label.costs
        if place and cost.cost < 1e30
    ]
    told.append([len(examples) - 1, found])
    workspace.learn(examples)
    workspace.finish_example(examples)
print(json.dumps(told))
"""


@pytest.mark.parametrize("reduction", ["--cb_adf", "--cb_explore_adf"])
def test_it_reads_our_files_with_equal_estimates(tmp_path, reduction):
    log = feedback(300, missing=True, counts=True)
    path = tmp_path / "log.dsjson"
    write_dsjson(log, path)
    given = [PYTHON, "-c", SCRIPT, path, reduction]
    done = subprocess.run(given, capture_output=True, text=True, timeout=120, check=True)
    told = json.loads(done.stdout)
    assert len(told) == len(log)
    ours = read_log(path)
    rewarded = ~np.isnan(ours.rewards)
    assert [len(found) for _, found in told] == rewarded.astype(int).tolist()
    labels = [found[0] for _, found in told if found]
    places, costs, chances, counts, tags = (np.array(each) for each in zip(*labels, strict=True))
    assert (places - 1 == ours.chosen[rewarded]).all()  # actions are counted from 1
    assert tags.tolist() == [ours.arms[arm] for arm in ours.chosen[rewarded]]
    assert counts == pytest.approx(ours.counts[rewarded], rel=1e-6)
    assert all(many == len(ours.arms) for many, _ in told)
    target = np.linspace(1, 2, len(ours.arms)) / np.linspace(1, 2, len(ours.arms)).sum()
    theirs = np.average(-costs / chances * target[places - 1], weights=counts)
    terms = ours.rewards / ours.propensities * target[ours.chosen]
    mine = np.average(terms[rewarded], weights=ours.counts[rewarded])
    assert theirs == pytest.approx(mine, rel=1e-6)  # it computes in single precision
