"""Certificates for the cluster of a test, made as docs/cluster.md says."""

import subprocess
from dataclasses import dataclass
from pathlib import Path
from shutil import which

import pytest

KEY = ("req", "-newkey", "rsa:2048", "-nodes", "-subj")


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


def certificates(folder, *addresses):
    """A new authority, and a certificate for these addresses."""
    if which("openssl") is None:
        pytest.skip("needs openssl")
    names = ",".join(f"IP:{each}" for each in addresses)
    (folder / "names").write_text(f"subjectAltName={names}")
    made = ("-keyout", "ca.key", "-x509", "-days", "1", "-out", "ca.pem")
    openssl(folder, *KEY, "/CN=authority", *made)
    openssl(folder, *KEY, "/CN=node", "-keyout", "node.key", "-out", "node.csr")
    authority = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "1")
    made = ("-extfile", "names", "-out", "node.pem")
    openssl(folder, "x509", "-req", "-in", "node.csr", *authority, *made)
    return Certificates(*(folder / name for name in ("ca.pem", "node.pem", "node.key")))


def openssl(folder, *arguments):
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)
