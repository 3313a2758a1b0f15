"""BLAS is held to one thread until the last of several batches is done."""

from threadpoolctl import threadpool_info, threadpool_limits

from bandstrap.simulation.one_thread import OneThread


def threads():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def test_the_last_to_leave_lifts_the_limit():
    held = OneThread()
    with threadpool_limits(2, user_api="blas"):
        with held:
            with held:
                assert threads() == {1}
            assert threads() == {1}
        assert threads() == {2}
