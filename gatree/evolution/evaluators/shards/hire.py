"""Hire a team for a problem: processes of this machine, or actors on a Dask cluster."""

from __future__ import annotations

from typing import Any

from gatree.base.errors import ConfigError
from gatree.base.limits import MOST_WORKERS, refuse_above
from gatree.evolution.evaluators.shards.processes import ProcessHost
from gatree.evolution.evaluators.shards.sources import sources_of
from gatree.evolution.evaluators.shards.team import Team
from gatree.evolution.problem import Problem
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.registry import EVALUATORS, inheriting


def hire(problem: Problem, n_shards: int | None, client: Any = None) -> Team | None:
    """Return a team that holds the instances of a problem in shards; None if neither is asked for.

    Parameters
    ----------
    problem : Problem
    n_shards : int, optional
        How many shards; by default as many as the cluster has workers.
    client : distributed.Client, optional
        The cluster whose workers hold the shards; processes of this machine by default.
    """
    if n_shards is not None and n_shards < 1:
        raise ConfigError(f"shards: should be at least 1, got {n_shards}")
    refuse_above(MOST_WORKERS, n_shards or 1, "shards", error=ConfigError)
    if client is not None:
        from gatree.evolution.evaluators.shards.dask_actors import Cluster

        cluster = Cluster(client)
        return Team(sources_of(problem, n_shards or cluster.n_workers), cluster.start)
    return None if n_shards is None else Team(sources_of(problem, n_shards), ProcessHost)


def check_goes_with_shards(settings: EvolutionSettings, problem: Problem) -> None:
    """Refuse settings that shards, which count on bit sets and inherit, would not fulfil."""
    if not EVALUATORS[settings.evaluator].inherits:
        raise ConfigError(
            f"evaluator: shards evaluate with inheritance, so not like {settings.evaluator!r}; "
            f"choose {', '.join(inheriting())}"
        )
    if settings.n_jobs > 1:
        raise ConfigError("n_jobs: every shard has one thread; ask for more shards instead")
    if settings.subtree_cache:
        raise ConfigError("subtree_cache: shards have none")
    if len(problem.scoring.target):
        raise ConfigError("shards: they count classes, not numbers")
