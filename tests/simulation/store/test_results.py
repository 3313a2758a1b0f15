"""Results that are read back are those that were written, or they are refused."""

import os
import random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bandstrap.errors import OutputError
from bandstrap.simulation.store.results import PROVENANCE, Results
from bandstrap.simulation.store.tables import digest_of, read_table, write_table
from bandstrap.simulation.trace import Trace

WHAT = b"these settings"
NAMES = ("wb", "ts")


def trace(policy, runs=4, rounds=(1, 2, 5, 10), seed=0):
    rng = np.random.default_rng([seed, *policy.encode()])
    rounds = np.array(rounds)
    regret, reward = rng.random((2, runs, rounds.size)).cumsum(axis=2)
    return Trace("figure1", "beta", policy, rounds, regret, reward, 1e-3 * rounds)


TRACES = [trace(name) for name in NAMES]


@pytest.fixture
def kept(tmp_path):
    results = Results(tmp_path)
    results.keep(TRACES, WHAT)
    return results


def equal(found, traces=TRACES):
    names = ("rounds", "regret", "reward", "seconds")
    return [one.policy for one in found] == [two.policy for two in traces] and all(
        getattr(one, name).tobytes() == getattr(two, name).tobytes()
        for one, two in zip(found, traces, strict=True)
        for name in names
    )


def test_results_come_back(kept):
    assert equal(kept.load())
    assert equal(kept.stored(WHAT))
    assert kept.stored(b"other settings") is None
    table = pq.read_table(kept.table)
    columns = ["experiment", "environment", "policy", "run", "round", "regret", "reward"]
    assert table.column_names == columns
    assert table.schema.metadata[PROVENANCE] == WHAT


def flipped(path, times):
    """The file with one bit the other way, again and again, spread over all of it."""
    whole, places = path.read_bytes(), random.Random(times)
    for bit in places.sample(range(8 * len(whole)), times):
        changed = bytearray(whole)
        changed[bit // 8] ^= 1 << bit % 8
        path.write_bytes(changed)
        yield
    path.write_bytes(whole)


@pytest.mark.parametrize("name", ["results", "timings"])
def test_flipped_bits_give_no_other_numbers(kept, name):
    """A bit of the many that mean nothing may go unnoticed; nearly all others were used before."""
    path, refused = kept.folder / f"{name}.parquet", []
    for _ in flipped(path, 600):
        for read in (lambda: kept.stored(WHAT), kept.load):
            try:
                found = read()
                assert found is None or equal(found)  # None: it is played again
            except OutputError as error:
                refused.append(str(error))
    assert len(refused) > 2 * 360
    assert all("delete it and run again" in said for said in refused)


@pytest.mark.parametrize("name", ["results", "timings"])
def test_pages_have_checksums(kept, name):
    path = kept.folder / f"{name}.parquet"
    whole = path.read_bytes()
    chunk = pq.read_metadata(path).row_group(0).column(5)
    place = (chunk.dictionary_page_offset or chunk.data_page_offset) + chunk.total_compressed_size
    path.write_bytes(whole[: place - 5] + bytes([whole[place - 5] ^ 1]) + whole[place - 4 :])
    with pytest.raises(OSError, match=r"CRC|corrupt"):
        pq.read_table(path, page_checksum_verification=True)


def rewritten(path, table):
    """As somebody would who knows Parquet and not us."""
    pq.write_table(table, path)


def test_a_table_without_our_digest_is_played_again_and_not_shown(kept):
    table = pq.read_table(kept.table)
    rewritten(kept.table, table.replace_schema_metadata({PROVENANCE: WHAT}))
    assert kept.stored(WHAT) is None
    with pytest.raises(OutputError, match=r"results.parquet: has no digest.*run again"):
        kept.load()


def test_other_numbers_under_our_digest_are_refused(kept):
    for path, column in ((kept.table, "regret"), (kept.timings, "seconds")):
        whole = path.read_bytes()
        table = pq.read_table(path)
        numbers = table[column].to_numpy() + 1e-9
        rewritten(path, table.set_column(table.column_names.index(column), column, [numbers]))
        for read in (kept.load, lambda: kept.stored(WHAT)):
            with pytest.raises(OutputError, match=rf"{path.name}: is damaged.*delete it"):
                read()
        path.write_bytes(whole)


def test_another_provenance_under_our_digest_is_refused(kept):
    table = pq.read_table(kept.table)
    rewritten(
        kept.table, table.replace_schema_metadata({**table.schema.metadata, PROVENANCE: b"x"})
    )
    with pytest.raises(OutputError, match="is damaged"):
        kept.stored(b"x")


def test_times_of_other_results_are_not_used(kept, tmp_path):
    """As a kill between the two files leaves them, or a copy of one of them."""
    other = Results(tmp_path / "other")
    other.keep([trace(name, seed=1) for name in NAMES], WHAT)
    other.timings.replace(kept.timings)
    assert kept.stored(WHAT) is None
    with pytest.raises(OutputError, match=r"timings.parquet: belongs to other results"):
        kept.load()


def changed(table, column, values):
    return table.set_column(table.column_names.index(column), column, [values])


def last_cut(table):
    return table.slice(0, table.num_rows - 1)


@pytest.mark.parametrize(
    "change",
    [
        last_cut,
        lambda table: table.take(list(range(table.num_rows))[::-1]),
        lambda table: pa.concat_tables([table, table.slice(0, 1)]),
        lambda table: table.drop_columns(["regret"]),
        lambda table: changed(table, "regret", table["regret"].cast(pa.float32())),
        lambda table: changed(table, "run", pa.array(np.zeros(table.num_rows, np.int64))),
        lambda table: changed(table, "round", pa.array(np.ones(table.num_rows, np.int64))),
        lambda table: changed(table, "policy", pa.array(["ts"] * table.num_rows)),
        lambda table: table.slice(0, 16),  # a policy less than the times have
        lambda table: table.slice(0, 0),
    ],
)
def test_cells_that_are_not_complete_are_refused(kept, change):
    """Though their digest is right: another program of ours could have written them."""
    write_table(change(read_table(kept.table)), kept.table)
    write_table(read_table(kept.timings).replace_schema_metadata(None), kept.timings)
    with pytest.raises(OutputError, match=r"results.parquet: is damaged \(.*delete it"):
        kept.load()


def test_missing_values_are_refused(kept):
    table = read_table(kept.table)
    rewritten(kept.table, changed(table, "reward", pa.nulls(table.num_rows, pa.float64())))
    with pytest.raises(OutputError, match="is damaged"):
        kept.load()


def test_a_folder_that_looks_like_a_column_adds_none(tmp_path):
    results = Results(tmp_path / "seed=3")
    results.keep(TRACES, WHAT)
    assert equal(results.load())


def test_a_pipe_is_not_waited_for(kept):
    kept.table.unlink()
    os.mkfifo(kept.table)
    with pytest.raises(OutputError, match="is a pipe"):
        kept.load()


def test_a_run_of_equal_values_may_not_fill_memory(tmp_path, monkeypatch):
    """A few kilobytes may say that a value comes a billion times: known before it is read."""
    monkeypatch.setattr("bandstrap.simulation.store.tables.MOST_CELLS", 1000)
    write_table(pa.table({"reward": np.zeros(10**6)}), tmp_path / "many.parquet")
    monkeypatch.setattr(pq.ParquetFile, "read", None)
    with pytest.raises(OutputError, match="claims 1,000,000 rows of 1 columns"):
        read_table(tmp_path / "many.parquet")


def test_chunks_do_not_change_the_digest():
    table = pa.concat_tables([one.table() for one in TRACES])
    assert table["policy"].num_chunks > 1
    assert digest_of(table) == digest_of(table.combine_chunks())
    renamed = table.rename_columns([*table.column_names[:-1], "rewards"])
    tables = [table, table.slice(1), table.select([0]), renamed]
    assert len({digest_of(each) for each in tables}) == len(tables)


def test_cells_come_back_in_their_order_however_many(tmp_path):
    """Arrow's groups may come in any order, and in another one for results than for timings."""
    names = [f"policy-{place}" for place in range(40)]
    traces = [trace(name, runs=2, rounds=range(1, 8)) for name in names]
    Results(tmp_path).keep(traces, WHAT)
    assert equal(Results(tmp_path).load(), traces)
