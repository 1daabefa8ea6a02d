"""Rows for the tests of the index: small vectors, plain words."""

import numpy as np

from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.ports.embedder import Vector, Vectors
from memoryd_actors.ports.index import IndexRow
from memoryd_client.wire.filters import Filters

DIMENSIONS = 32
ALL_STATES = Filters(states=())


def unit_vectors(count: int, seed: int = 0, dimensions: int = DIMENSIONS) -> Vectors:
    """Return clustered unit vectors."""
    random = np.random.default_rng(seed)
    centres = random.normal(size=(max(1, count // 20), dimensions))
    vectors = centres[random.integers(0, len(centres), count)] + 0.5 * random.normal(size=(count, dimensions))
    unit: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return unit


def axis(number: int) -> Vector:
    vector = np.zeros(DIMENSIONS, np.float32)
    vector[number] = 1.0
    return vector


def row(
    id: str,  # noqa: A002 - it is the field's name
    *,
    text: str = "some words",
    vector: Vector | None = None,
    owner: str = "local",
    scope: str = "global",
    project: str = "",
    category: str = "fact",
    state: str = "active",
    tags: tuple[str, ...] = (),
    pinned: bool = False,
    sequence: int = 1,
    agent: str = "",
    role: str = "",
    speaker: str = "",
    importance: int = 3,
    updated_at: int = 0,
) -> IndexRow:
    return IndexRow(
        id=id,
        vector=axis(0) if vector is None else vector,
        text=text,
        owner=owner,
        scope=scope,
        project=project,
        category=category,
        state=state,
        session="s",
        tags=tags,
        pinned=pinned,
        sequence=sequence,
        agent=agent,
        role=role,
        speaker=speaker,
        importance=importance,
        updated_at=updated_at,
    )


def seen_by(
    owner: str = "local",
    project: str = "",
    filters: Filters | None = None,
    allowed: frozenset[str] | None = None,
    without: frozenset[str] = frozenset(),
) -> Visibility:
    return Visibility(owner, project, filters or Filters(), allowed, without)
