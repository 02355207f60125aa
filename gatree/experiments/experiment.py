"""The model of an experiment: validated as a whole before anything runs.

An experiment has a name, a seed, data sets, fixed settings of the evolution, and studies. A study is a
grid of settings and what to measure on it: `savings` (old and new side by side on all data, Tables 3-7)
or `cross-validation` (Tables 8-12 and Figure 6). docs/config.md describes it as a file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Annotated, Literal, Self, TypeAlias, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from gatree.base.errors import ConfigError, did_you_mean
from gatree.base.limits import (
    LARGEST_SEED,
    MOST_EXPERIMENT_CELLS,
    MOST_FOLDS,
    MOST_REPEATS,
    MOST_SEEDS,
    count,
)
from gatree.data.folds import SEEDED, FoldKind
from gatree.experiments.lists import ListOf, as_list, some, with_own_names, without_repeats
from gatree.experiments.record import EARLIER_NAMES, Baseline
from gatree.experiments.setting_grid import TOGETHER, Grid, with_size_measure
from gatree.experiments.sources import DataSource, Sources
from gatree.settings.evolution_settings import EvaluatorName, EvolutionSettings
from gatree.settings.presets import Preset
from gatree.settings.registry import inheriting

if TYPE_CHECKING:
    InheritingEvaluator: TypeAlias = str
else:
    InheritingEvaluator = Literal[tuple(inheriting())]


def _folder_name(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}", name):
        raise ValueError(f"a name has letters, digits, '.', '_' and '-' only, got {name!r}")
    return name


Count = Annotated[int, Field(strict=True)]
Seed = Annotated[Count, Field(ge=0, le=LARGEST_SEED)]
Name = Annotated[str, AfterValidator(_folder_name)]


def _numbered(value: object) -> Sequence[object]:
    """Turn a number of replicates into the list of their numbers: 3 is [0, 1, 2]."""
    if isinstance(value, int) and not isinstance(value, bool):
        return range(min(value, MOST_SEEDS + 1))
    return as_list(value)


Seeds = Annotated[
    tuple[Annotated[Count, Field(ge=0, lt=MOST_SEEDS)], ...],
    BeforeValidator(_numbered),
    AfterValidator(some),
    AfterValidator(without_repeats),
]


def _refuse_gone(preset: object) -> object:
    if preset in ("default", "fast"):
        raise ValueError(
            f"the preset {preset!r} is gone: write its settings out under `evolution`, as "
            "configs/chessboard.yaml does, or name the baseline small-tree"
        )
    return preset


PresetName = Annotated[Preset, BeforeValidator(_refuse_gone)]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FixedSettings(EvolutionSettings):
    """The settings of all studies, or of one, in place of the preset's; grids vary them."""

    _of_earlier_versions = model_validator(mode="before")(with_size_measure)

    @field_validator("seed", "evaluator", mode="before")
    @classmethod
    def _is_set_elsewhere(cls, _: object, info: ValidationInfo) -> object:
        where = "stands at the top of the file" if info.field_name == "seed" else "is chosen by the study"
        raise ValueError(f"cannot be fixed here: it {where}")

    @model_validator(mode="after")
    def _shares_add_up(self) -> Self:
        return self  # judged by the experiment, together with the preset's shares

    def given(self) -> dict[str, object]:
        """Return what the file says, without defaults."""
        return self.model_dump(exclude_unset=True)


class _Study(_Model):
    name: Name
    datasets: Sources | None = None  # the experiment's, if left out
    preset: PresetName | None = None  # likewise
    seeds: Seeds | None = None  # likewise
    timed_seeds: Annotated[Count, Field(ge=0)] | None = None  # likewise
    evolution: FixedSettings = FixedSettings()  # in place of the experiment's
    grid: Grid = Grid()


class SavingsStudy(_Study):
    """All evaluators run the same evolution on all data, taking turns `repeats` times."""

    kind: Literal["savings"]
    evaluators: Annotated[tuple[EvaluatorName, ...], *ListOf] = ("old", "new")
    repeats: Annotated[Count, Field(ge=1, le=MOST_REPEATS)] = 3
    history: bool = False  # keep every generation


def _named(baselines: object) -> object:
    """Return baselines by their names of today."""
    return [EARLIER_NAMES.get(name, name) if isinstance(name, str) else name for name in as_list(baselines)]


class CrossValidationStudy(_Study):
    """One evolution per fold; and each baseline once per data set.

    The evaluators to choose from give the same outcome, ledger included, so a cell's key leaves them out.
    """

    kind: Literal["cross-validation"]
    evaluator: InheritingEvaluator | None = None  # the preset's, if left out
    n_folds: Annotated[Count, Field(ge=2, le=MOST_FOLDS)] = 5
    n_repeats: Annotated[Count, Field(ge=1, le=MOST_REPEATS)] = 1  # of the whole cross-validation
    fold_seed: Annotated[Count, Field(ge=0, le=LARGEST_SEED - MOST_REPEATS)] = 1  # of the first repeat
    folds: FoldKind = "weka"
    drop_remainder: bool = False  # leave out the last n % n_folds instances
    baseline_folds: Annotated[tuple[FoldKind, ...], *ListOf] | None = None  # the evolutions', if left out
    baselines: Annotated[tuple[Baseline, ...], BeforeValidator(_named), AfterValidator(without_repeats)] = ()
    history: bool = False  # keep every generation

    @model_validator(mode="after")
    def _folds_go_together(self) -> CrossValidationStudy:
        if self.n_repeats > 1 and self.folds not in SEEDED:
            raise ValueError(f"n_repeats: folds {self.folds!r} are the same in every repeat; use seeds")
        if self.drop_remainder and self.folds == "out-of-bag":
            raise ValueError("drop_remainder: bootstrap samples have no remainder")
        return self


Study = Annotated[SavingsStudy | CrossValidationStudy, Field(discriminator="kind")]


class Experiment(_Model):
    """One experiment: everything that decides its results."""

    name: Name
    seed: Seed
    datasets: Sources = ()  # of the studies that have none of their own
    preset: PresetName = "paper"
    seeds: Seeds = (0,)  # the replicates of every evolution
    timed_seeds: Annotated[Count, Field(ge=0)] = 1  # how many of them are timed; the others run once
    evolution: FixedSettings = FixedSettings()
    studies: Annotated[tuple[Study, ...], AfterValidator(some), AfterValidator(with_own_names)]

    @model_validator(mode="after")
    def _can_be_laid_out(self) -> Experiment:
        """Multiply the counts before any cell or setting is created."""
        counted = {study.name: self._counts(study) for study in self.studies}
        n_cells = sum(prod(counts.values()) for counts in counted.values())
        if n_cells > MOST_EXPERIMENT_CELLS:
            name, counts = max(counted.items(), key=lambda item: prod(item[1].values()))
            product = " x ".join(f"{count(number)} {what}" for what, number in counts.items() if number > 1)
            raise ValueError(
                f"studies: {count(n_cells)} cells in all; the limit is {count(MOST_EXPERIMENT_CELLS)} "
                f"(study {name!r}: {product})"
            )
        return self

    def _counts(self, study: Study) -> dict[str, int]:
        """Return the numbers whose product is the cells of a study."""
        counts = {
            "data sets": len(study.datasets or self.datasets),
            "settings": study.grid.n_points(),
            "seeds": len(self.seeds_of(study)[0]),
        }
        if isinstance(study, CrossValidationStudy):
            counts |= {"folds": study.n_folds, "repeats": study.n_repeats}
        return counts

    @model_validator(mode="after")
    def _settings_go_together(self) -> Experiment:
        for study in self.studies:
            try:
                self.settings_of(study)
            except ConfigError as error:
                raise ValueError(f"evolution.{error}") from None
        return self

    def settings_of(self, study: Study) -> EvolutionSettings:
        """Return the settings that a study's grid starts from: those of its preset, and the fixed ones.

        They are checked with every evaluator that the study runs, as far as the grid leaves them.
        """
        preset = study.preset or self.preset
        given = {**self.evolution.given(), **study.evolution.given()}
        evaluators = study.evaluators if isinstance(study, SavingsStudy) else (study.evaluator,)
        chosen = [{**given, "evaluator": name} if name else given for name in evaluators]
        checked = [
            EvolutionSettings.preset(preset, {**values, **point})
            for values in chosen
            for point in study.grid.points(TOGETHER)
        ]
        return checked[0]

    @model_validator(mode="after")
    def _all_have_data(self) -> Experiment:
        without = [study.name for study in self.studies if not (study.datasets or self.datasets)]
        if without:
            raise ValueError(f"datasets: is missing, and {', '.join(without)} has none of its own")
        return self

    @model_validator(mode="after")
    def _one_name_one_data_set(self) -> Experiment:
        known: dict[str, DataSource] = {}
        for source in self.sources():
            if known.setdefault(source.name, source) != source:
                raise ValueError(f"datasets: two different ones are called {source.name!r}; give one a name")
        return self

    def seeds_of(self, study: Study) -> tuple[tuple[int, ...], int]:
        """Return the replicates of a study's evolutions, and how many of them are timed."""
        timed = self.timed_seeds if study.timed_seeds is None else study.timed_seeds
        return study.seeds or self.seeds, timed

    def varies_nothing(self, study: Study) -> bool:
        """Tell whether a study has one setting on one data set, and nothing to compare it with."""
        if isinstance(study, SavingsStudy):
            alone = len(study.evaluators) == 1
        else:
            alone = not study.baselines and not study.history
        return alone and study.grid.n_points() == len(study.datasets or self.datasets) == 1

    def sources(self) -> list[DataSource]:
        """Return where all data sets come from, each once."""
        named = [*self.datasets, *(source for study in self.studies for source in study.datasets or ())]
        return list(dict.fromkeys(named))


def with_evaluators(experiment: Experiment, names: Sequence[str]) -> Experiment:
    """Return the experiment with these evaluators side by side in its savings studies."""
    chosen = tuple(
        dict.fromkeys(_known_evaluator("evaluators", name, get_args(EvaluatorName)) for name in names)
    )
    return _changed(
        experiment, lambda study: {"evaluators": chosen} if isinstance(study, SavingsStudy) else {}
    )


def with_fold_evaluator(experiment: Experiment, name: str) -> Experiment:
    """Return the experiment with this evaluator in its cross-validations."""
    chosen = _known_evaluator("fold-evaluator", name, get_args(InheritingEvaluator))
    return _changed(
        experiment, lambda study: {"evaluator": chosen} if isinstance(study, CrossValidationStudy) else {}
    )


def with_seeds(experiment: Experiment, n_seeds: int) -> Experiment:
    """Return the experiment with the first replicates of every study alone; the timed ones come first."""
    return _changed(experiment, lambda study: {"seeds": experiment.seeds_of(study)[0][:n_seeds]})


def _known_evaluator(option: str, name: str, known: Sequence[str]) -> str:
    if name not in known:
        near = did_you_mean(name, known) or f"; known: {', '.join(known)}"
        raise ConfigError(f"{option}: no evaluator {name!r}{near}")
    return name


def _changed(experiment: Experiment, update_of: Callable[[Study], Mapping[str, object]]) -> Experiment:
    """Return the experiment with something changed in its studies."""
    studies = tuple(study.model_copy(update=update_of(study)) for study in experiment.studies)
    changed = experiment.model_copy(update={"studies": studies})
    for study in studies:
        changed.settings_of(study)
    return changed
