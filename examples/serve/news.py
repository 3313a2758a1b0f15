"""A news site with three articles: who comes sees first what the service decides.

    python examples/serve/news.py

starts the service of app.toml, a site of one page that asks it, and readers that nobody has to pay.
Open both addresses that it prints: the site, where your own clicks count, and the dashboard.
"""

import argparse
import random
import subprocess
import sys
import tempfile
import threading
import time
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from bandstrap.errors import ServiceError
from bandstrap.service.client import Client, Retry

APP = Path(__file__).with_name("app.toml")
ARTICLES = {
    "moon landing": "Probe lands on the far side of the moon",
    "cup final": "Late goal decides the cup final",
    "budget": "Parliament passes the budget after a long night",
}
LIKES = {"science": "moon landing", "sport": "cup final", "politics": "budget"}


def reader(rng):
    """Somebody with a taste."""
    taste = rng.choices(tuple(LIKES), (0.3, 0.5, 0.2))[0]
    return {name: float(name == taste) for name in LIKES}


def clicks(rng, who, article):
    """Whether they read on: often if it is what they like."""
    likes = any(who[taste] and LIKES[taste] == article for taste in LIKES)
    return rng.random() < (0.45 if likes else 0.1)


def read(client, rng, paid):
    """One visit: a decision, a moment, and perhaps a click."""
    who = reader(rng)
    decision = client.decide("news", who, fallback="budget")
    if clicks(rng, who, decision.arm):
        left = float(rng.random() < 0.05)
        client.reward(decision.id, 1.0, {"unsubscribed": left})
        paid.append(1.0)
    else:
        paid.append(0.0)  # the service will see for itself that no click came


def readers(client, count, end):
    """So many at once, until the end."""
    paid = []

    def visit(number):
        rng = random.Random(number)
        while time.monotonic() < end:
            try:
                read(client, rng, paid)
            except ServiceError as error:
                print(error)
            time.sleep(rng.expovariate(10))

    threads = [threading.Thread(target=visit, args=(number,)) for number in range(count)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return paid


class Site(BaseHTTPRequestHandler):
    """One page: the articles, best first for a reader who came for ?taste=…; clicks are rewards."""

    client: Client

    def do_GET(self):
        where = urlsplit(self.path)
        asked = {name: values[0] for name, values in parse_qs(where.query).items()}
        if where.path == "/read":
            self.click(asked.get("decision", "none"), asked.get("article", ""))
        elif where.path == "/":
            self.front(asked.get("taste", "sport"))
        else:
            self.send_error(404)

    def click(self, decision, article):
        try:
            self.client.reward(decision, 1.0, {"unsubscribed": 0.0})
        except ServiceError as error:  # such as a link that somebody has made up
            self.send(f"<p>{escape(str(error))}")
        else:
            self.send(f"<p>{escape(article)}: thank you.<p><a href=/>Back</a>")

    def front(self, taste):
        who = {name: float(name == taste) for name in LIKES}
        decision = self.client.decide("news", who, rank=3, fallback="budget")
        order = decision.ranking or [decision.arm]
        items = [f"<li><h2>{escape(ARTICLES[each])}</h2>" for each in order]
        link = f"/read?decision={decision.id}&amp;article={escape(decision.arm)}"
        items[0] = f"<li><h2><a href='{link}'>{escape(ARTICLES[order[0]])}</a></h2>"
        tastes = " · ".join(f"<a href='/?taste={name}'>{name}</a>" for name in LIKES)
        self.send(f"<p>I like {tastes}<ol>{''.join(items)}</ol>")

    def send(self, text):
        body = f"<!doctype html><title>The three</title><h1>The three</h1>{text}".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--readers", type=int, default=4, help="how many read at once")
    parser.add_argument("--seconds", type=float, default=600.0, help="for how long")
    parser.add_argument("--port", type=int, default=8000, help="of the service; the site has +1")
    told = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="news-") as folder:
        return play(told, folder)


def play(told, folder):
    """The service with its store in a folder, the site and the readers, until all is over."""
    service = subprocess.Popen(
        [sys.executable, "-m", "bandstrap", "serve", str(APP), "--port", str(told.port),
         "--store", f"{folder}/news.sqlite", "--log", "off"],
    )  # fmt: skip
    address = f"http://127.0.0.1:{told.port}"
    patient = Retry(budget=60.0)
    try:
        with Client(address, retry=patient) as first:
            first.status("news")  # waits until it has started
        with Client(address, buffer=f"{folder}/rewards") as client:
            Site.client = client
            site = ThreadingHTTPServer(("127.0.0.1", told.port + 1), Site)
            threading.Thread(target=site.serve_forever, daemon=True).start()
            print(f"the site:      http://127.0.0.1:{told.port + 1}/", flush=True)
            print(f"the dashboard: {address}/", flush=True)
            paid = readers(client, told.readers, time.monotonic() + told.seconds)
            status = client.status("news")
            site.shutdown()
            site.server_close()
        tenth = max(len(paid) // 10, 1)
        learnt = status["decisions"] - status["waiting"]
        print(f"{len(paid)} visits, of which {learnt} are learnt")
        early, late = sum(paid[:tenth]) / tenth, sum(paid[-tenth:]) / tenth
        print(f"{early:.0%} of the first tenth clicked, {late:.0%} of the last")
        return len(paid), status
    except KeyboardInterrupt:
        return 0, {}
    finally:
        service.terminate()
        service.wait()


if __name__ == "__main__":
    main()
