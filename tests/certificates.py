"""Certificates for the cluster of a test, made by the commands in docs/cluster.md."""

import subprocess
from dataclasses import dataclass
from pathlib import Path
from shutil import which

import pytest

from pages import commands

PAGE = "docs/cluster.md"


@dataclass(frozen=True)
class Certificates:
    """The authority that is trusted, and what is shown to others."""

    authority: Path
    certificate: Path
    key: Path

    def dask_options(self):
        names = ("--tls-ca-file", "--tls-cert", "--tls-key")
        return [f"{name}={path}" for name, path in self._named(names).items()]

    def dask_client(self):
        names = ("CA_FILE", "CLIENT__CERT", "CLIENT__KEY")
        return self._named(f"DASK_DISTRIBUTED__COMM__TLS__{name}" for name in names)

    def ray(self):
        names = ("CA_CERT", "SERVER_CERT", "SERVER_KEY")
        return {"RAY_USE_TLS": "1", **self._named(f"RAY_TLS_{name}" for name in names)}

    def _named(self, names):
        files = (self.authority, self.certificate, self.key)
        return dict(zip(names, map(str, files), strict=True))


def certificates(folder, address):
    """A new authority, and a certificate for this address."""
    if which("openssl") is None:
        pytest.skip("needs openssl")
    steps = [line for line in commands(PAGE) if line.startswith(("openssl", "echo"))]
    script = "\n".join(steps).replace("10.0.0.1", address)
    subprocess.run(["sh", "-ec", script], cwd=folder, check=True, capture_output=True)
    return Certificates(*(folder / name for name in ("ca.pem", "node.pem", "node.key")))
