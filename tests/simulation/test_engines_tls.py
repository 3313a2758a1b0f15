"""Batches on a Dask scheduler that lets in whoever has a certificate."""

import pytest

from bandstrap.errors import InvalidInput
from bandstrap.simulation.engines import Dask
from called import called, failed, in_one_line
from certificates import certificates
from clusters import HOST, dask_cluster, process

pytest.importorskip("distributed")
dask = pytest.importorskip("dask")

SMALL = ("figure1", "--quick", "--runs", "20", "--policies", "wb,ts")


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    return certificates(tmp_path_factory.mktemp("ours"), HOST)


@pytest.fixture(scope="module")
def address(ours):
    with dask_cluster(1, ours) as address:
        yield address


@pytest.fixture
def theirs(tmp_path):
    return certificates(tmp_path, HOST)


def given(authority, certificate, key):
    files = {"ca-file": authority, "client.cert": certificate, "client.key": key}
    return dask.config.set({f"distributed.comm.tls.{name}": str(at) for name, at in files.items()})


def refused(address):
    with pytest.raises(InvalidInput) as error, Dask(address).pool(1):
        pytest.fail("let in")
    return str(error.value)


def test_results_over_tls_are_those_of_this_machine_to_the_byte(address, ours, tmp_path):
    where = ("--engine", "dask", "--address", address, "--out", tmp_path / "there")
    there = ("bandstrap", "reproduce", *SMALL, *where)
    with process(*there, cwd=tmp_path, **ours.dask_client()) as command:
        assert command.wait(120) == 0, (tmp_path / "bandstrap.log").read_text()
    assert called("reproduce", *SMALL, "--workers", 1, "--out", tmp_path / "here")[0] == 0
    played = [tmp_path / name / "figure1" / "results.parquet" for name in ("there", "here")]
    assert played[0].read_bytes() == played[1].read_bytes()


def test_without_certificates_one_sentence_says_which_settings_are_missing(address, tmp_path):
    where = ("--engine", "dask", "--address", address, "--out", tmp_path)
    said = in_one_line(failed("reproduce", *SMALL, *where))
    assert "DASK_DISTRIBUTED__COMM__TLS__CA_FILE" in said


def test_certificates_of_another_authority_are_refused(address, theirs):
    with given(theirs.authority, theirs.certificate, theirs.key):
        assert "certificates" in refused(address)


def test_the_right_authority_with_another_certificate_is_refused(
    address, ours, theirs, monkeypatch
):
    monkeypatch.setattr("bandstrap.simulation.engines.WAIT", 2)
    with given(ours.authority, theirs.certificate, theirs.key):
        assert "certificates" in refused(address)


def test_a_file_that_is_not_there_is_refused(address, ours, tmp_path):
    with given(ours.authority, ours.certificate, tmp_path / "absent.key"):
        assert "No such file" in refused(address)


def test_required_encryption_refuses_a_plain_address(address):
    with dask.config.set({"distributed.comm.require-encryption": True}):
        assert "encryption is required" in refused(address.replace("tls", "tcp"))
