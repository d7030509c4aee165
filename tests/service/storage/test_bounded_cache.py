"""Values that a service may forget."""

from concurrent.futures import ThreadPoolExecutor

from backlit.service.storage.bounded_cache import BoundedCache


def test_remembered_forgets_the_value_that_was_put_first_when_it_is_full() -> None:
    known: BoundedCache[str, int] = BoundedCache(2)

    known.put("a", 1)
    known.put("b", 2)
    known.put("a", 3)
    known.put("c", 4)

    assert [known.get(key) for key in "abc"] == [3, None, 4]


def test_remembered_stays_bounded_when_many_threads_put() -> None:
    known: BoundedCache[int, int] = BoundedCache(8)

    with ThreadPoolExecutor(8) as pool:
        put = list(pool.map(lambda number: known.put(number % 100, number), range(5_000)))

    assert put == list(range(5_000))
    assert sum(known.get(key) is not None for key in range(100)) == 8
