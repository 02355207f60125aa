"""Shards in local processes.

A process is started as a new command, not forked: it inherits no threads or locks, and a user's script needs
no ``__main__`` guard. It ends when its pipe is closed, which also happens when this process ends.
"""

from __future__ import annotations

import pickle
import signal
import subprocess
import sys
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

from gatree.evolution.evaluators.shards.server import ShardServer
from gatree.evolution.evaluators.shards.workers import Request, Source, WorkerLostError

_END_SECONDS = 5


class ProcessWorker:
    """A shard in a separate process."""

    def __init__(self, source: Source, shard: int) -> None:
        del shard
        self._pipe, theirs = Pipe()
        with theirs:
            command = [sys.executable, "-m", __name__, str(theirs.fileno())]
            self.process = subprocess.Popen(command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
        self._send(source)

    def submit(self, request: Request) -> None:
        self._send(request)

    def _send(self, what: Any) -> None:
        try:
            self._pipe.send(what)
        except OSError as error:
            raise self._lost_error() from error

    def result(self) -> Any:
        try:
            answer = self._pipe.recv()
        except (EOFError, OSError) as error:
            raise self._lost_error() from error
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def _lost_error(self) -> WorkerLostError:
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(_END_SECONDS)
        return WorkerLostError(f"its process ended with the code {self.process.returncode}")

    def close(self) -> None:
        self._pipe.close()
        try:
            self.process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def serve(pipe: Connection) -> None:
    """Load a shard and handle requests until the pipe is closed."""
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        source = pipe.recv()
        server: ShardServer | None = None
        while True:
            request = pipe.recv()
            try:
                server = server or ShardServer(source)
                answer: Any = server.handle(request)
            except Exception as error:
                answer = error if _can_be_sent(error) else RuntimeError(f"{type(error).__name__}: {error}")
            pipe.send(answer)


def _can_be_sent(error: Exception) -> bool:
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return False
    return True


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the coordinator, which then closes the pipe
    with Connection(int(sys.argv[1])) as connection:
        serve(connection)
