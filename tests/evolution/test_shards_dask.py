"""One evolution on a real Dask cluster, with scheduler and workers on loopback, some of them killed."""

import json
import signal

import pytest
from click.testing import CliRunner
from clusters import dask, distributed, running_cluster
from test_shards import SHORT, found

from gatree.base.errors import ConfigError, DataError
from gatree.cli.main import cli
from gatree.data.catalog import load_dataset
from gatree.evolution.evaluators.shards.cluster import cluster_at
from gatree.evolution.evaluators.shards.workers import load_in_pieces
from gatree.evolution.evolve import evolve


@pytest.fixture(scope="module")
def alone():
    return found(evolve(load_dataset("vote"), SHORT))


@pytest.fixture
def own_cluster(tmp_path):
    """Start a cluster for one test, which may kill its processes."""
    with running_cluster(tmp_path, n_workers=2) as (address, processes):
        yield address, processes


@pytest.mark.parametrize("n_shards", [None, 3])
def test_a_cluster_equals_one_process(alone, cluster_address, n_shards):
    with distributed.Client(cluster_address, set_as_default=False) as client:
        assert found(evolve(load_dataset("vote"), SHORT, client=client, shards=n_shards)) == alone


@pytest.mark.long
def test_a_killed_worker_does_not_change_the_outcome(alone, own_cluster, tmp_path):
    address, (_, first, second) = own_cluster
    generations = []

    def kill(evolution):
        generations.append(evolution.generation)
        if evolution.generation == 8:
            first.send_signal(signal.SIGKILL)
        if evolution.generation == 16:  # now all shards are on the other worker: a new one takes over
            late.append(
                dask("worker", address, "--no-nanny", "--no-dashboard", "--local-directory", tmp_path)
            )
            second.send_signal(signal.SIGKILL)

    late = []
    try:
        with distributed.Client(address, set_as_default=False) as client:
            assert found(evolve(load_dataset("vote"), SHORT, kill, client=client)) == alone
    finally:
        for process in late:
            process.kill()
            process.wait()
    assert generations == list(range(1, SHORT.n_generations + 1))


def test_workers_survey_files_and_read_their_rows(cluster_address, tmp_path):
    frame = load_dataset("vote").to_frame()
    for number, begin in enumerate(range(0, 435, 145)):
        frame[begin : begin + 145].to_csv(tmp_path / f"{number}.csv", index=False)
    pattern = str(tmp_path / "[0-9].csv")
    here = evolve(load_in_pieces(pattern, None, False, SHORT), SHORT)
    with distributed.Client(cluster_address, set_as_default=False) as client:
        there = evolve(load_in_pieces(pattern, None, False, SHORT, client), SHORT, client=client)
        (tmp_path / "3.csv").write_text("x,y\n1,2\n")
        with pytest.raises(DataError, match=r"3\.csv: has no column 'handicapped-infants', but .*0\.csv has"):
            load_in_pieces(pattern, None, False, SHORT, client)
    assert found(there) == found(here)
    assert there.tree == here.tree


@pytest.mark.long
def test_the_error_names_a_lost_scheduler(own_cluster):
    address, (scheduler, *_) = own_cluster

    def kill(evolution):
        if evolution.generation == 5:
            scheduler.send_signal(signal.SIGKILL)

    with cluster_at(address) as client, pytest.raises(ConfigError, match=f"{address}: the scheduler"):
        evolve(load_dataset("vote"), SHORT, kill, client=client)


def test_the_command_prints_the_same_without_a_cluster(cluster_address):
    options = ("evolve", "vote", "--preset", "fast", "--generations", "20", "--folds", "0", "--json")
    outputs = []
    for more in ((), ("--scheduler", cluster_address)):
        done = CliRunner().invoke(cli, [*options, *more])
        assert done.exit_code == 0, done.stderr
        outputs.append({k: v for k, v in json.loads(done.stdout).items() if not k.startswith("seconds")})
    assert outputs[0] == outputs[1]
