"""Answers that will come, whoever keeps them and whoever waits."""

import threading

import pytest

from bandstrap.service.store.promise import Promise


def test_it_is_kept_once_whoever_is_first():
    promise, kept, start = Promise(), [], threading.Barrier(4)

    def keep(number):
        start.wait()
        kept.append((promise.keep(lambda: number), number))

    threads = [threading.Thread(target=keep, args=(number,)) for number in range(4)]
    for each in threads:
        each.start()
    answer = promise.result(10)
    for each in threads:
        each.join()
    assert [number for first, number in kept if first] == [answer]
    assert promise.done()


def test_everybody_is_called_once_by_whichever_thread():
    called = []
    for number in range(300):
        promise = Promise()
        keeping = threading.Thread(target=promise.keep, args=(lambda: None,))
        keeping.start()
        promise.add_done_callback(lambda _, number=number: called.append(number))
        keeping.join()
    assert called == [*range(300)]


def test_the_error_of_an_answer_is_whoever_asks_ones(caplog):
    promise = Promise()
    promise.add_done_callback(lambda _: 1 / 0)  # harms nobody else
    promise.add_done_callback(lambda it: caught.append(it))
    caught = []
    promise.keep(lambda: [][0])
    assert caught == [promise]
    assert isinstance(promise.exception(), IndexError)
    with pytest.raises(IndexError):
        promise.result()
    assert "handed over" in caplog.text


def test_one_that_is_not_kept_in_time():
    with pytest.raises(TimeoutError):
        Promise().result(0.001)
