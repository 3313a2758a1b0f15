"""Tables read from files and frames, as a sample of their rows."""

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather

from bandstrap.comparison.rewards import Label
from bandstrap.comparison.table import prepare
from bandstrap.tables import source
from bandstrap.tables.source import read, sampled


def test_a_large_table_is_a_uniform_sample_however_it_is_cut(monkeypatch):
    monkeypatch.setattr(source, "ROWS", 100)
    table = pa.table({"x": np.arange(1000)})
    one = sampled(table.schema, table.to_batches(max_chunksize=7), seed=3)
    other = sampled(table.schema, table.to_batches(), seed=3)
    assert one.table.equals(other.table)
    assert (one.seen, one.table.num_rows) == (1000, 100)
    x = one.table["x"].to_numpy()
    assert (np.diff(x) > 0).all()
    assert 400 < x.mean() < 600
    assert not sampled(table.schema, table.to_batches(), seed=4).table.equals(one.table)


def test_a_huge_file_is_read_only_so_far(tmp_path, monkeypatch):
    from bandstrap.tables import text

    monkeypatch.setattr(text, "MOST", 100_000)
    monkeypatch.setattr(text, "BLOCK", 1 << 20)
    path = tmp_path / "huge.csv"
    path.write_text("x,y\n" + "0.123456789,a\n0.987654321,b\n" * 100_000)
    sample = read(path, seed=0)
    assert not sample.complete
    assert sample.seen < 150_000
    assert "the rest of the file is left out" in prepare(path, Label("y")).decisions[0]
