"""Batches on a real Ray instance of two cores, behind a token and certificates."""

import socket
import ssl
from importlib.util import find_spec

import pytest

from bandstrap.simulation.engines import Ray
from certificates import certificates
from clusters import (
    check_a_killed_worker,
    check_own_code,
    contextual,
    own_address,
    ray_cluster,
    results,
)

if find_spec("ray") is None:  # not imported here: its token must be in the environment before
    pytest.skip("needs ray", allow_module_level=True)


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    return certificates(tmp_path_factory.mktemp("ours"), own_address())


@pytest.fixture(scope="module")
def engine(ours):
    with ray_cluster(2, ours) as address:
        yield Ray(address)


def test_results_are_those_of_this_machine_to_the_byte(engine, tmp_path):
    assert results(tmp_path / "cluster", engine) == results(tmp_path / "alone")
    assert contextual(engine) == contextual()


def test_a_killed_worker_loses_nothing(engine, tmp_path):
    check_a_killed_worker(engine, tmp_path)


def test_workers_play_code_that_only_this_folder_has(engine, tmp_path):
    check_own_code(engine, tmp_path)


def test_nobody_is_let_in_without_a_certificate(engine, ours):
    """Asked below Ray, whose own clients try again for many minutes."""
    client = ssl.create_default_context(cafile=ours.authority)
    client.set_alpn_protocols(["h2"])
    assert first_words(engine, client) == b""
    client.load_cert_chain(ours.certificate, ours.key)
    assert first_words(engine, client) != b""


def first_words(engine, client):
    """What the head says to this client before it ends the connection."""
    host, port = engine.address.split(":")
    with (
        socket.create_connection((host, int(port)), timeout=30) as plain,
        client.wrap_socket(plain, server_hostname=host) as encrypted,
    ):
        return encrypted.recv(1)
