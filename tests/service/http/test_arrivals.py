"""Futures that threads complete, awaited by a loop."""

import asyncio
import threading
from concurrent.futures import Future
from typing import Any

import pytest

from bandstrap.service.http.arrivals import Arrivals


def test_all_arrive_whoever_completes_them_and_whenever() -> None:
    async def main() -> list[int]:
        arrivals = Arrivals(asyncio.get_running_loop())
        futures: list[Future[int]] = [Future() for _ in range(3000)]

        def complete(which: int) -> None:
            for number in range(which, len(futures), 3):
                futures[number].set_result(number)

        threads = [threading.Thread(target=complete, args=(which,)) for which in range(3)]
        threads[0].start()  # some are done before anybody waits
        waiting = [asyncio.create_task(arrivals.result(each)) for each in futures]
        for each in threads[1:]:
            each.start()
        return list(await asyncio.wait_for(asyncio.gather(*waiting), 20))

    assert asyncio.run(main()) == list(range(3000))


def test_an_error_arrives_and_one_that_is_given_up_harms_nobody() -> None:
    async def main() -> None:
        arrivals = Arrivals(asyncio.get_running_loop())
        lost: Future[Any] = Future()
        failed: Future[Any] = Future()
        given_up = asyncio.create_task(arrivals.result(lost))
        waiting = asyncio.create_task(arrivals.result(failed))
        await asyncio.sleep(0)
        given_up.cancel()
        threading.Timer(0.01, lambda: (lost.set_result(1), failed.set_exception(OSError()))).start()
        with pytest.raises(OSError):  # noqa: PT011
            await waiting

    asyncio.run(main())
