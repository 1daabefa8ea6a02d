from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from memoryd.index.grown import GrownVectors, highest

_NUMBERS = arrays(np.uint16, st.integers(0, 2_000), elements=st.integers(0, 40), fill=st.just(0))


@given(_NUMBERS, st.integers(1, 60))
def test_the_highest_numbers_are_those_that_sorting_puts_first(numbers: npt.NDArray[np.uint16], count: int) -> None:
    found = highest(numbers, count)
    assert len(set(found.tolist())) == len(found) == min(count, int(np.count_nonzero(numbers)))
    assert sorted(numbers[found].tolist()) == sorted(numbers.tolist())[len(numbers) - len(found) :]


def test_the_highest_of_many_numbers_are_found_wherever_they_stand() -> None:
    random = np.random.default_rng(3)
    for spread in (1.0, 1e-3):
        numbers = np.sort(random.normal(0.5, spread, 50_000).astype(np.float32))
        for order in (numbers, numbers[::-1], random.permutation(numbers)):
            found = highest(order, 100)
            assert sorted(order[found].tolist()) == numbers[-100:].tolist()


def test_what_is_likelier_is_what_is_nearest_where_vectors_are_signs_alone() -> None:
    random = np.random.default_rng(4)
    vectors = random.choice(np.array([-1, 1], np.float32), (20_000, 70))  # of no whole number of eights, in two blocks
    grown = GrownVectors(70)
    for start in range(0, len(vectors), 700):
        grown.extend(vectors[start : start + 700])
    slots = np.sort(random.choice(len(vectors), 6_000, replace=False))
    asked = random.normal(size=70).astype(np.float32)
    found = grown.likelier(asked, slots, 100)
    assert found.tolist() == np.sort(slots[np.argsort(-(vectors[slots] @ asked))[:100]]).tolist()
    assert grown.likelier(asked, slots[:100], 100).tolist() == slots[:100].tolist()


def test_a_search_beside_the_writing_of_files_takes_no_signs_twice() -> None:
    vectors = np.random.default_rng(6).normal(size=(40_000, 128)).astype(np.float32)
    shown = np.ones(len(vectors), np.bool_)
    with ThreadPoolExecutor(2) as threads:
        for _ in range(5):
            grown = GrownVectors(128)
            grown.extend(vectors)
            parts, found = threads.submit(grown.parts), threads.submit(grown.likely, vectors[7], shown, 10)
            assert sum(piece.size for piece in parts.result()["signs"]) == vectors.size / 64
            assert 7 in found.result()


def test_eight_bits_a_number_tell_a_product_to_a_few_thousandths() -> None:
    random = np.random.default_rng(7)
    vectors = random.normal(size=(20_000, 384)).astype(np.float32)  # in two blocks
    vectors[:, 3] *= 6  # as some models have numbers that are much larger than the others
    vectors[17] = 0
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    grown = GrownVectors(384)
    for start in range(0, len(vectors), 700):
        grown.extend(vectors[start : start + 700])
    slots = np.sort(random.choice(len(vectors), 2_000, replace=False))
    slots[0] = 17
    slots.sort()
    asked = vectors[5]
    estimates, products = grown.estimates(asked, slots), grown.products(asked, slots)
    assert 0 < float(np.abs(estimates - products).max()) < 0.005
    assert estimates[slots.tolist().index(17)] == 0


def test_what_is_read_from_a_file_and_what_came_later_is_estimated_alike() -> None:
    vectors = np.random.default_rng(8).normal(size=(3_000, 70)).astype(np.float32)
    whole, first = GrownVectors(70), GrownVectors(70)
    whole.extend(vectors)
    first.extend(vectors[:2_000])
    read = GrownVectors(70, {name: np.concatenate(pieces) for name, pieces in first.parts().items()})
    read.extend(vectors[2_000:])
    slots = np.arange(0, 3_000, 7)
    assert read.estimates(vectors[1], slots).tolist() == whole.estimates(vectors[1], slots).tolist()
    assert read.likelier(vectors[1], slots, 50).tolist() == whole.likelier(vectors[1], slots, 50).tolist()
