"""The hunt: draw, run, and make smaller what fails.

A failure is any error but a `GatreeError`, or more seconds than an input of this size may take.
"""

from __future__ import annotations

import hashlib
import json
import random
import signal
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import gatree
from fuzz import configurations, estimators, exports, fronts
from fuzz.inputs import KINDS
from gatree.base.errors import GatreeError

CASES = Path(__file__).parent / "cases"
GENERATED = {
    "configuration": configurations,
    "front": fronts,
    "export": exports,
    "estimator": estimators,
}
NAMES = (*KINDS, *GENERATED)
_OURS = str(Path(gatree.__file__).parent)
MOST_OF_A_MESSAGE = 800
_OF_MANY_ERRORS = ("yaml", "configuration")  # all are reported at once
SECONDS_EACH, SECONDS_TO_SHRINK = 20, 60  # of the processor, and of the clock


class TooSlow(BaseException):
    """An input has kept us for too long; not an Exception, so that no handler takes it for something else."""


@dataclass(frozen=True)
class Failure:
    """An input that failed, and where."""

    name: str
    content: bytes
    signature: str
    trace: str

    @property
    def file(self) -> str:
        return f"{self.name}-{hashlib.sha256(self.content).hexdigest()[:10]}"


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TooSlow when the block has used this many CPU seconds."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TooSlow(f"more than {seconds} s")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def draw(name: str, rng: random.Random) -> bytes:
    """Return a new input."""
    if name in GENERATED:
        return json.dumps(GENERATED[name].draw(rng)).encode()
    return KINDS[name].draw(rng)


def run(name: str, content: bytes, folder: Path) -> bool:
    """Use an input; return whether it was accepted. What must not happen is raised."""
    try:
        if name in GENERATED:
            GENERATED[name].run(json.loads(content))
        else:
            KINDS[name].run(content, folder)
    except GatreeError as error:
        if name not in _OF_MANY_ERRORS and len(str(error)) > MOST_OF_A_MESSAGE:
            raise AssertionError(f"a message of {len(str(error))} characters") from error
        return False
    return True


def warm_up(names: Iterable[str], folder: Path) -> None:
    """Have all kernels compiled, which may take longer than an input may."""
    for name in names:
        if name in GENERATED:
            for case in GENERATED[name].WARM_UP:
                GENERATED[name].run(case)
        else:
            for content in KINDS[name].corpus():
                run(name, content, folder)


def failure_of(name: str, content: bytes, folder: Path) -> Failure | None:
    """Return what goes wrong with an input, if anything does."""
    try:
        with time_limit(SECONDS_EACH):
            run(name, content, folder)
    except (Exception, TooSlow) as error:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _OURS in frame.filename]
        place = f"{Path(frames[-1].filename).name}:{frames[-1].name}" if frames else "?"
        return Failure(name, content, f"{type(error).__name__} in {place}", traceback.format_exc())
    return None


def shrunk(failure: Failure, folder: Path, seconds: float = SECONDS_TO_SHRINK) -> Failure:
    """Return the smallest input found that fails at the same place."""
    end = time.monotonic() + seconds

    def still_fails(content: bytes) -> Failure | None:
        found = failure_of(failure.name, content, folder)
        return found if found is not None and found.signature == failure.signature else None

    progress = True
    while progress and time.monotonic() < end:
        progress = False
        for content in _smaller(failure):
            if time.monotonic() > end:
                break
            if found := still_fails(content):
                failure, progress = found, True
                break
    return failure


def _smaller(failure: Failure) -> Iterator[bytes]:
    """Yield inputs that are simpler than the one that failed."""
    if failure.name not in GENERATED:
        yield from _smaller_texts(failure.content)
        return
    for case in GENERATED[failure.name].smaller(json.loads(failure.content)):
        yield json.dumps(case).encode()


def _smaller_texts(content: bytes) -> Iterator[bytes]:
    """Yield a text without some of its lines, then without some of its bytes, large parts first."""
    for parts in (content.splitlines(keepends=True), [content[i : i + 1] for i in range(len(content))]):
        size = len(parts) // 2
        while size and len(parts) <= 4_000:
            for start in range(0, len(parts), size):
                yield b"".join(parts[:start] + parts[start + size :])
            size //= 2


def keep(failure: Failure, cases: Path = CASES) -> Path:
    """Write an input into the tests, where it is run from now on."""
    cases.mkdir(exist_ok=True)
    path = cases / failure.file
    path.write_bytes(failure.content)
    return path


def hunt(
    seed: int,
    seconds: float,
    folder: Path,
    names: tuple[str, ...] = NAMES,
    before: Callable[[str, bytes], None] = lambda *_: None,
    found: Callable[[Failure], None] = lambda _: None,
) -> tuple[Counter[str], list[Failure]]:
    """Draw and run inputs for some time; return how many there were, and one failure of each kind.

    Inputs are reported before they run, failures when they are found: nothing is lost with the process.
    """
    warm_up(names, folder)
    rng, end = random.Random(seed), time.monotonic() + seconds
    counts: Counter[str] = Counter()
    failures: dict[str, Failure] = {}
    while time.monotonic() < end:
        for name in names:
            content = draw(name, rng)
            before(name, content)
            counts[name] += 1
            failure = failure_of(name, content, folder)
            if failure is not None and failure.signature not in failures:
                failures[failure.signature] = shrunk(failure, folder)
                found(failures[failure.signature])
    return counts, list(failures.values())
