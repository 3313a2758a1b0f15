"""Real clusters on this machine, and what must hold on each of them."""

import os
import secrets
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from importlib import invalidate_caches
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep

import pyarrow as pa
import pytest

from bandstrap import ContextualBootstrap, EigenExamples, Exponential, LinearRegression
from bandstrap.environments import Bernoulli, Labelled
from bandstrap.experiments import RunSize, Settings
from bandstrap.experiments.figure1 import Figure1
from bandstrap.policies import Policy
from bandstrap.policies.own import made
from bandstrap.simulation import Cell, Runner
from bandstrap.simulation.store.checkpoint import Checkpoint
from bandstrap.simulation.trace import write_table
from fatal import RUNS, Fatal, rounds_noted
from own_code import own_folder

TESTS = str(Path(__file__).parent)
HOST = "127.0.0.1"


@contextmanager
def process(*arguments, cwd, end=signal.SIGKILL, **more):
    """A Python process that finds the tests' modules; it is ended with the context."""
    path = os.pathsep.join([TESTS, *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path, **more}
    command = [sys.executable, "-m", *map(str, arguments)]
    with (Path(cwd) / f"{arguments[0]}.log").open("a") as log:
        started = subprocess.Popen(command, cwd=cwd, env=environment, stdout=log, stderr=log)
    try:
        yield started
    finally:
        started.send_signal(end)
        try:
            started.wait(20)
        except subprocess.TimeoutExpired:
            started.kill()
            started.wait()


def free_ports(count):
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind((HOST, 0))
        return [each.getsockname()[1] for each in sockets]


@contextmanager
def dask_cluster(workers, certificates=None):
    """A scheduler and so many worker processes, with no nanny to start others for them."""
    (port,) = free_ports(1)
    protocol = "tls" if certificates else "tcp"
    address = f"{protocol}://{HOST}:{port}"
    place = ["--host", HOST, "--no-dashboard", "--protocol", protocol]
    place += certificates.dask_options() if certificates else []
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder, ExitStack() as stack:
        scheduler = ("distributed.cli.dask_scheduler", "--port", port, *place)
        stack.enter_context(process(*scheduler, cwd=folder))
        for _ in range(workers):
            worker = ("distributed.cli.dask_worker", address, "--nthreads", 1, "--no-nanny")
            worker += ("--local-directory", folder)
            stack.enter_context(process(*worker, *place, cwd=folder))
        yield address


def own_address():
    """What Ray takes for the address of this machine, also where it is told 127.0.0.1."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        try:
            asked.connect(("203.0.113.1", 9))  # which finds a route and sends nothing
        except OSError:
            return HOST
        return asked.getsockname()[0]


@contextmanager
def ray_cluster(cores, certificates):
    """A Ray instance with a token of its own, so that none is written to the home directory."""
    host = own_address()
    port, *others = free_ports(5)
    names = ("dashboard-agent-grpc", "dashboard-agent-listen", "metrics-export")
    ports = [f"--{name}-port={other}" for name, other in zip(names, others, strict=False)]
    ports += [f"--port={port}", f"--runtime-env-agent-port={others[-1]}"]
    token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    quiet = {"RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}  # what is to come, without a warning
    size = [f"--num-cpus={cores}", f"--object-store-memory={100 * 2**20}"]
    place = [f"--node-ip-address={host}", "--include-dashboard=false", "--disable-usage-stats"]
    start = ("ray.scripts.scripts", "start", "--head", "--block", *ports, *size, *place)
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        for name, value in {**token, **certificates.ray(), **quiet}.items():
            patch.setenv(name, value)
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        start_ray(start, stack)
        yield f"{host}:{port}"


def start_ray(start, stack):
    """Ray gives its helpers 15 seconds, which no option changes: they are compiled beforehand."""
    helpers = "ray.dashboard.agent, ray._private.runtime_env.agent.main"
    subprocess.run([sys.executable, "-c", f"import {helpers}"], capture_output=True)
    for _ in range(3):
        attempt = stack.enter_context(ExitStack())
        if attempt.enter_context(ray_head(start)):
            return
        attempt.close()
    pytest.fail("Ray does not start")


@contextmanager
def ray_head(start):
    """Starts Ray, and tells whether it is there."""
    folder = TemporaryDirectory(dir="/tmp", prefix="ray", ignore_cleanup_errors=True)
    with folder as place:  # of a short name: sockets live there
        command = (*start, f"--temp-dir={place}")
        with process(*command, cwd=place, end=signal.SIGTERM) as started:
            log = Path(place, f"{start[0]}.log")
            until = monotonic() + 90
            while not (there := "Ray runtime started" in log.read_text()):
                if started.poll() is not None or monotonic() > until:
                    break
                sleep(0.1)
            yield there


def results(path, engine=None):
    """The bytes of a results file of figure 1 in small."""
    settings = Settings(RunSize.QUICK, runs=600, horizon=60, policies=("wb", "ts"))
    traces = Figure1().run(settings, Runner(3, engine=engine))
    write_table(pa.concat_tables([trace.table() for trace in traces]), path)
    return path.read_bytes()


def contextual(engine=None):
    """The regret of a model on real rows, run by run."""
    policy = ContextualBootstrap(Exponential(), LinearRegression(), EigenExamples())
    cell = Cell("test", "digits", "wb-lin", Labelled("digits"), policy, 30, 3)
    (trace,) = Runner(4, engine=engine).run([cell])
    return trace.regret.tobytes()


def check_a_killed_worker(engine, tmp_path):
    """What a worker was playing when it was killed is gone on with from where it was saved."""
    played = {}
    for name, where in (("local", None), ("cluster", engine)):
        folder = tmp_path / name
        folder.mkdir()
        if where is None:
            (folder / "died").touch()
        policy = Fatal(folder=str(folder))
        cells = [
            Cell("test", world, "ts", Bernoulli(means=means), policy, 100, RUNS)
            for world, means in (("one", (0.3, 0.6)), ("two", (0.2, 0.9)), ("three", (0.5, 0.4)))
        ]
        store = Checkpoint(folder / "batches")
        traces = Runner(2, checkpoint=store, save_every=0, engine=where).run(cells)
        played[name] = b"".join(trace.regret.tobytes() for trace in traces)
        assert (folder / "died").exists()
        assert len(list(store.directory.iterdir())) == 3
    assert played["local"] == played["cluster"]
    assert 300 < rounds_noted(tmp_path / "cluster") < 300 + 60


def check_own_code(engine, folder):
    """Of the class and of the module beside it, also after it was changed."""
    with own_folder(folder) as module:
        one = made(f"{module}:Soft(temperature=0.3)", Policy)
        cell = Cell("own", "bernoulli", "soft", Bernoulli(3), one, 50, runs=600)
        (there,), (here,) = Runner(engine=engine).run([cell]), Runner().run([cell])
        assert (there.regret == here.regret).all()
        path = folder / f"{module}.py"
        path.write_text(path.read_text().replace("state.mean + drawn", "0 * drawn"))
        del sys.modules[module]
        invalidate_caches()
        other = made(f"{module}:Soft(temperature=0.3)", Policy)
        (changed,) = Runner(engine=engine).run([replace(cell, policy=other)])
        assert (changed.regret == Runner().run([replace(cell, policy=other)])[0].regret).all()
        assert (changed.regret != there.regret).any()
