"""A shard in the process of the test."""

from gatree.evolution.evaluators.shards.workers import ShardCounter


class LocalWorker:
    """Handle the requests for a shard when their results are wanted."""

    def __init__(self, source, shard):
        self.shard, self._counter = shard, ShardCounter(source.load)

    def submit(self, request):
        self._request = request

    def result(self):
        return self._request(self._counter)

    def close(self):
        """Do nothing: only memory is held."""
