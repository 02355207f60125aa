"""The YAML file: everything wrong with it is said at once, with its place and what would work."""

import time
from itertools import pairwise

import pytest
import yaml
from laboratory import TINY

from gatree.base.errors import ConfigError
from gatree.base.files import shipped_folder
from gatree.experiments.experiment import with_evaluators, with_fold_evaluator
from gatree.experiments.experiment_file import read_experiment

WRONG = """
name: my run
seed: x
datasets: [vot, zoo, data/none.arff]
evolutoin: {}
evolution: {seed: 3, generation_gap: 2, selection: turnament}
studies:
  - name: a
    kind: saving
  - name: b
    kind: savings
    repeats: 0
    grid: {mutation_rates: [0.5], x_factor: [1e4, abc], size: [100, 1, true]}
  - name: c
    kind: cross-validation
    baselines: j84
    datasets: []
    grid: {mutation_rate: [0.5, 7]}
  - grid: {}
  - name: d
    kind: savings
    evaluators: [old, nw]
    grid: {size: 5, n_generations: 5}
"""

COMPLAINTS = """
name: a name has letters, digits, '.', '_' and '-' only, got 'my run'
seed: should be a valid integer, got 'x'
datasets[0]: no data set 'vot'; did you mean 'vote'?
datasets[2]: no such file:
evolutoin: unknown setting; did you mean 'evolution'?
evolution.seed: cannot be fixed here: it stands at the top of the file
evolution.generation_gap: should be less than or equal to 1, got 2
evolution.selection: should be 'tournament', 'roulette'
studies[0].kind: should be 'savings', 'cross-validation', got 'saving'; did you mean 'savings'?
studies[1].repeats: should be greater than or equal to 1, got 0
studies[1].grid.mutation_rates: unknown setting; did you mean 'mutation_rate'?
studies[1].grid.x_factor[1]: an x-factor is a number such as 1e4
studies[1].grid.size[1]: should be greater than or equal to 2, got 1
studies[1].grid.size[2]: should be a valid integer, got True
studies[2].baselines: should be 'small-tree', 'j48', 'j48-reduced-error', 'cart', 'majority' or 'mean'
studies[2].datasets: should list at least one
studies[2].grid.mutation_rate[1]: should be less than or equal to 1, got 7
studies[3].kind: is missing
studies[4].evaluators[1]: should be
studies[4].grid: give either size
"""


def read(folder, text):
    path = folder / "my.yaml"
    path.write_text(text)
    return read_experiment(path)


def test_all_complaints_come_at_once_with_their_place(tmp_path):
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, WRONG)
    got = sorted(str(caught.value).splitlines())
    expected = sorted(f"{tmp_path / 'my.yaml'}: {line}" for line in COMPLAINTS.strip().splitlines())
    assert len(got) == len(expected)
    for line, start in zip(got, expected, strict=True):
        assert line.startswith(start)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"datasets": ["zoo", "zoo"]}, "datasets: listed twice: zoo"),
        ({"studies": [TINY["studies"][0]] * 2}, "studies: listed twice: savings"),
        ({"studies": []}, "studies: should list at least one"),
        ({"preset": "papre"}, r"preset: should be .*, got 'papre'; did you mean 'paper'"),
        (
            {"evolution": {"subtree_cache": True}},
            "evolution.subtree_cache: this setting was removed, since the cache no longer saved time; leave",
        ),
        (
            {"studies": [{**TINY["studies"][1], "n_folds": 10**9}]},
            "n_folds: should be less than or equal to 100000",
        ),
        (
            {"studies": [{**TINY["studies"][0], "grid": {"size": 10**12}}]},
            r"grid.size: should be less than or equal to 1000000",
        ),
    ],
)
def test_repeats_and_nothing_are_refused(tmp_path, change, message):
    with pytest.raises(ConfigError, match=message):
        read(tmp_path, yaml.safe_dump({**TINY, **change}))


@pytest.mark.parametrize(
    "text",
    [
        "name: {}",
        "preset: {}",
        "{}: 3",
        "datasets: [{}]",
        "evolution: {{selection: {}}}",
        "evolution: {{{}: 1}}",
    ],
)
def test_a_long_value_makes_no_long_message(tmp_path, text):
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, text.format("v" * 50_000))
    assert max(len(line) for line in str(caught.value).splitlines()) < 700 + len(str(tmp_path))


def test_huge_products_are_refused_before_anything_is_made(tmp_path):
    """In time that grows with the counts and not with their product: 100,000 seeds took minutes."""
    study = {"name": "s", "kind": "cross-validation", "n_folds": 100, "n_repeats": 9999}
    shares = [index / 4000 for index in range(1500)]
    grid = {"prune_share": shares, "shift_share": shares}
    cells = "99,990,000,000 cells in all; the limit is 2,000,000 (study 's': 100,000 seeds x 100 folds"
    many = {**study, "n_folds": 2, "n_repeats": 1, "seeds": 1, "grid": grid}
    for one, product in ((study, cells), (many, "2,250,000 settings x 2 folds)")):
        start = time.process_time()
        with pytest.raises(ConfigError) as caught:
            read(tmp_path, yaml.safe_dump({**TINY, "datasets": ["zoo"], "seeds": 100_000, "studies": [one]}))
        assert product in str(caught.value)
        assert time.process_time() - start < 10, "this should take a second"


ALIAS_BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n" for before, name in pairwise("abcdefgh")
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ALIAS_BOMB, "values (with aliases written out); the limit is 100,000"),
        ("name: " + "[" * 600, "is nested too deep"),
        ("# " + "x" * 2**20, "bytes; the limit is 1,048,576"),
        ("name: a\nseed: 1\nname: b", "is not YAML: the key 'name' stands twice, in lines 1 and 3"),
        ("evolution: {seed: 1, seed: 1}", "is not YAML: the key 'seed' stands twice, in lines 1 and 1"),
        ("seed: 0x_", "is not YAML: invalid literal for int()"),
        ("seed: " + "9" * 5000, "is not YAML: Exceeds the limit"),
        ("seed: !!timestamp abc", "is not YAML"),
        ("seed: 2001-99-99", "is not YAML: month must be in 1..12"),
        ("- !<tag:yaml.org,2002:float> ''", "is not YAML"),
        ("name: !!python/object/apply:os.system [ls]", "is not YAML: could not determine a constructor"),
        ("name: <<", "is not YAML"),
        ("? [a, b]\n: 1", "is not YAML"),
        ("a: *b", "is not YAML"),
        ("name: [", "is not YAML"),
        ("name: \x07", "is not YAML"),
        ("", "is empty; should be a mapping with name, seed, datasets and studies"),
        ("- 1", "should be a mapping"),
        ("datasets: &b [*b]", "is nested too deep"),
    ],
)
def test_hostile_yaml_is_refused_with_its_place(tmp_path, text, message):
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, text)
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"{tmp_path / 'my.yaml'}: ")
    assert len(str(caught.value)) < 400 + len(str(tmp_path))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (f"seed: {10**399}", f"seed: should be less than or equal to {2**64 - 1}"),
        ("seed: .nan", "seed: should be a valid integer, got nan"),
        ("evolution: {mutation_rate: " + "9" * 399 + "}", "evolution.mutation_rate: should be"),
        ("evolution: {x_factor: " + "9" * 399 + "}", "an x-factor is positive and finite"),
        ("evolution: {x_start: .inf}", "evolution.x_start"),
    ],
)
def test_odd_scalars_are_refused_with_their_place(tmp_path, change, message):
    key = change.partition(":")[0]
    rest = yaml.safe_dump({name: value for name, value in TINY.items() if name != key})
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, f"{rest}\n{change}\n")
    assert message in str(caught.value)


def test_aliases_and_merges_that_are_harmless_are_read(tmp_path):
    text = yaml.safe_dump({name: value for name, value in TINY.items() if name != "studies"})
    text += """
studies:
  - &first {name: a, kind: savings, grid: &grid {size: [10, 20]}}
  - {<<: *first, name: b}
  - {name: c, kind: cross-validation, grid: *grid}
"""
    studies = read(tmp_path, text).studies
    assert [study.name for study in studies] == ["a", "b", "c"]
    assert studies[0].grid == studies[1].grid == studies[2].grid


def test_paths_are_relative_to_the_file_and_must_have_names_of_their_own(tmp_path):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.arff").write_text("")
    experiment = read(tmp_path, yaml.safe_dump({**TINY, "datasets": ["one/mine.arff", "zoo"]}))
    assert [source.data for source in experiment.datasets] == [str(tmp_path / "one" / "mine.arff"), "zoo"]
    assert [source.name for source in experiment.sources()] == ["mine", "zoo"]
    with pytest.raises(ConfigError, match="datasets: listed twice: mine"):
        read(tmp_path, yaml.safe_dump({**TINY, "datasets": ["one/mine.arff", "two/mine.arff"]}))


def test_evaluators_of_the_command_line_go_to_the_studies_of_their_kind():
    smoke = read_experiment(shipped_folder("configs") / "smoke.yaml")
    for experiment, kind, name, chosen in (
        (with_evaluators(smoke, ["old", "bitset"]), "savings", "evaluators", ("old", "bitset")),
        (with_fold_evaluator(smoke, "bitset"), "cross-validation", "evaluator", "bitset"),
    ):
        assert {getattr(study, name) for study in experiment.studies if study.kind == kind} == {chosen}
    with pytest.raises(ConfigError, match="evaluators: no evaluator 'bitsett'; did you mean 'bitset'"):
        with_evaluators(smoke, ["bitsett"])
    known = "known: new, new-all-nodes, bitset"
    with pytest.raises(ConfigError, match=f"fold-evaluator: no evaluator 'old'; {known}"):
        with_fold_evaluator(smoke, "old")


def test_fixed_settings_are_judged_together_with_the_preset(tmp_path):
    shares = {"evolution": {"shift_share": 0.7}}
    assert read(tmp_path, yaml.safe_dump({**TINY, "evolution": {"shift_share": 0.7, "prune_share": 0.3}}))
    with pytest.raises(
        ConfigError,
        match=r"my.yaml: evolution.prune_share, shift_share: should be at most 1 together, got 0.5 \+ 0.7",
    ):
        read(tmp_path, yaml.safe_dump({**TINY, **shares, "preset": "paper"}))


def test_settings_that_have_no_value_are_none_in_a_grid_and_among_the_fixed_ones(tmp_path):
    rest = {name: value for name, value in TINY.items() if name not in ("studies", "evolution")}
    study = {"name": "s", "kind": "savings", "grid": {"x_start": ["none", 2000], "size": 20}}
    text = yaml.safe_dump({**rest, "evolution": {"max_depth": "none"}, "studies": [study]})
    experiment = read(tmp_path, text)
    assert experiment.studies[0].grid.given()["x_start"] == (None, 2000)
    assert experiment.settings_of(experiment.studies[0]).max_depth is None


def test_data_sets_at_the_top_are_for_studies_without_their_own(tmp_path):
    grid = {"size": 20}
    own = {"name": "own", "kind": "savings", "datasets": "zoo", "grid": grid}
    others = {"name": "e", "seed": 1}
    experiment = read(tmp_path, yaml.safe_dump({**others, "studies": [own]}))
    assert [source.name for source in experiment.sources()] == ["zoo"]
    text = yaml.safe_dump({**others, "studies": [own, {"name": "b", "kind": "savings", "grid": grid}]})
    with pytest.raises(ConfigError, match="datasets: is missing, and b has none of its own"):
        read(tmp_path, text)
