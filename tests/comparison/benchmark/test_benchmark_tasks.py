"""What a benchmark plays: data sets by name, and the tables of a folder."""

import gzip

import pytest

from bandstrap.comparison.benchmark.benchmark import folder_tasks, named_tasks
from bandstrap.errors import OutputError, UnknownName


def test_tables_of_a_folder(tmp_path):
    (tmp_path / "a.csv").write_text("kind,x,z\n" + "p,1,0\nq,2,1\n" * 5)
    (tmp_path / "b.tsv").write_text("x\tcolour\n" + "1\tred\n2\tblue\n3\tgreen\n" * 5)
    (tmp_path / "c.csv").write_text("x,y\n1,a\n2,a\n")
    (tmp_path / "notes.md").write_text("not a table")
    tasks, skipped = folder_tasks(tmp_path, "kind", seed=0)
    assert [(task.name, task.environment.problem.n_arms) for task in tasks] == [("a", 2), ("b", 3)]
    assert "classes in column 'kind'" in tasks[0].description
    assert "classes in column 'colour'" in tasks[1].description
    assert len(skipped) == 1
    assert "c.csv: skipped" in skipped[0]
    with pytest.raises(OutputError, match="is not a folder"):
        folder_tasks(tmp_path / "none", None, 0)
    with pytest.raises(UnknownName, match="did you mean 'iris'"):
        named_tasks(("irs",))


def test_tables_are_called_apart(tmp_path):
    names = ("sales.2023.csv", "sales.2024.csv", "iris.csv", "iris.tsv", "shop.csv.gz")
    for i, name in enumerate(names):
        separator = "\t" if name.endswith("tsv") else ","
        rows = [("x", "kind"), *((str(0.5 * j + i), "pq"[j % 2]) for j in range(10))]
        text = "".join(separator.join(row) + "\n" for row in rows)
        if name.endswith(".gz"):
            (tmp_path / name).write_bytes(gzip.compress(text.encode()))
        else:
            (tmp_path / name).write_text(text)
    tasks, skipped = folder_tasks(tmp_path, None, seed=0, taken=["iris"])
    assert not skipped
    assert [task.name for task in tasks] == [
        "iris.csv", "iris.tsv", "sales.2023", "sales.2024", "shop",
    ]  # fmt: skip


def test_a_data_set_counts_once():
    assert [task.name for task in named_tasks(("iris", "wine", "iris"))] == ["iris", "wine"]
