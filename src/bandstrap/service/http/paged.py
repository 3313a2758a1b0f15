"""The page at /. It holds no data: it asks for them with the reader's key."""

from bandstrap.service.http.answers import Answer
from bandstrap.service.http.operations import Call, Operation
from bandstrap.service.page import page_html, page_policy


def page_operations() -> list[Operation]:
    async def page(call: Call) -> Answer:
        return Answer(html, kind=b"text/html; charset=utf-8", headers=headers)

    html = page_html().encode()
    rules = f"{page_policy()}; frame-ancestors 'none'".encode()
    headers = ((b"content-security-policy", rules), (b"referrer-policy", b"no-referrer"))
    return [Operation("GET", "/", None, "The page", page, described=False)]
