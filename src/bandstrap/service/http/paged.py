"""The page at / and what it loads. It holds no data: it asks for them with the reader's key."""

from bandstrap.service.http.answers import Answer
from bandstrap.service.http.operations import Call, Operation

RULES = (
    b"default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    b"img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    b"frame-ancestors 'none'"
)
HEADERS = ((b"content-security-policy", RULES), (b"referrer-policy", b"no-referrer"))
STAND_IN = "<!doctype html><html lang=en><title>bandstrap serve</title><p>See /openapi.json."


def page_operations() -> list[Operation]:
    async def page(call: Call) -> Answer:
        return Answer(html, kind=b"text/html; charset=utf-8", headers=HEADERS)

    html = STAND_IN.encode()
    return [Operation("GET", "/", None, "The page", page, described=False)]
