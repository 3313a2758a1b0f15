"""The census counts what it says, on a tree whose numbers are known."""

from pages import load

census = load("census", "scripts")
POLICY = '''"""A docstring,
which does nothing."""

import os

from tree.other import used


class Policy:
    limit = 3

    def _start(self):
        return used(self.limit)

    @property
    def name(self):
        def inner():
            return os.name

        return inner()
'''
SAME = """
def {name}({first}, {second}):
    total = {first} + {second}
    for each in range({first}):
        total += each * {second}
    if total > {second}:
        return total
    return -total  # {name}
"""


def tree(tmp_path, **files):
    source = tmp_path / "tree"
    for name, text in files.items():
        path = source / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return source, {path: path.read_text() for path in sorted(source.rglob("*.py"))}


def test_methods_count_private_ones_and_properties_but_no_functions_inside(tmp_path):
    _, files = tree(tmp_path, policy=POLICY)
    assert census.methods(files, "Policy") == 2
    assert census.methods(files, "Learner") == 0


def test_modules_with_one_importer(tmp_path):
    source, files = tree(
        tmp_path,
        policy=POLICY,
        other="",
        third="from tree import policy",
        fourth="import tree.policy",
    )
    assert census.lonely(source, files) == 1  # tree.other


def test_equal_lines_and_equal_shapes(tmp_path):
    one = SAME.format(name="one", first="a", second="b")
    two = SAME.format(name="two", first="c", second="d")
    _, files = tree(tmp_path, one=one, again=one, two=two)
    assert census.pairs(files, census.exactly) == 1
    assert census.pairs(files, census.shape) == 3
    _, files = tree(tmp_path / "less", one=one, two=two.replace("-total", "total"))
    assert census.pairs(files, census.shape) == 1  # the first six lines are still alike
    _, files = tree(tmp_path / "lists", one="a = [\n" + "    1,\n" * 9 + "]", two="b = 2")
    assert census.pairs(files, census.shape) == 0


def test_the_table(tmp_path, monkeypatch, capsys):
    source, _ = tree(tmp_path, policy=POLICY, room__one="x = 1\n" * 3, room__two="y = 2\n")
    monkeypatch.setattr("sys.argv", ["census.py", str(source)])
    census.main()
    rows = dict(reversed(line.split(maxsplit=1)) for line in capsys.readouterr().out.splitlines())
    assert rows["files"] == "3"
    assert rows["lines"] == str(POLICY.count("\n") + 4)
    assert rows["files in the largest folder (tree/room)"] == "2"
