"""What is tried, and against what: a calibration, one YAML file checked as a whole.

Candidates are sets of settings, all combinations of a grid and others by name. Targets are published numbers.
Every candidate runs on every target's data as an experiment of its own (a study each), so that running,
resuming and the journal are those of `gatree run`. Only one target chooses; the others are reported.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from gatree.base.errors import ConfigError
from gatree.experiments.experiment import Experiment, Name, Seeds
from gatree.experiments.experiment_file import read_mapping
from gatree.experiments.sources import Source, Sources
from gatree.paper.published import SAVINGS
from gatree.settings.evolution_settings import EvolutionSettings, XFactor
from gatree.settings.presets import Preset
from gatree.settings.validation import validated

Sizes = tuple[Annotated[int, Field(ge=2)], ...]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SavingsTarget(_Model):
    """The savings of Tables 4, 5 and 7, size by size, and for the lost Table 6 their means in Table 3."""

    kind: Literal["savings"]
    name: Name = "savings"
    tables: tuple[Literal[4, 5, 6, 7], ...] = (4, 5, 6, 7)
    datasets: Sources
    size: Sizes

    def study(self) -> dict[str, Any]:
        """Return the study that runs a candidate on this target."""
        settings = [SAVINGS[number] for number in self.tables]
        grid = {
            "mutation_rate": sorted({float(setting.mutation) for setting in settings}),
            "x_factor": sorted({setting.x for setting in settings}),
            "size": self.size,
        }
        quick = {"evaluators": ["bitset"], "repeats": 1}  # the ledger is the same for all that inherit
        return {"kind": "savings", "datasets": self.datasets, "grid": grid, **quick}


class RunsTarget(_Model):
    """Runs of the original program: how large and how accurate its trees were, run by run."""

    kind: Literal["runs"]
    name: Name = "runs"
    datasets: dict[str, Source]  # from the name in the file of runs
    mutation_rate: float
    x_factor: XFactor
    size: Annotated[int, Field(ge=2)]
    n_folds: Annotated[int, Field(ge=2)] = 5

    def study(self) -> dict[str, Any]:
        """Return the study that runs a candidate on this target."""
        grid = {"mutation_rate": self.mutation_rate, "x_factor": self.x_factor, "size": self.size}
        sources = tuple(self.datasets.values())
        return {
            "kind": "cross-validation",
            "datasets": sources,
            "grid": grid,
            "n_folds": self.n_folds,
            "evaluator": "bitset",
        }


Target = Annotated[SavingsTarget | RunsTarget, Field(discriminator="kind")]


class Calibration(_Model):
    """A search over settings: everything that decides its result."""

    name: Name
    seed: Annotated[int, Field(ge=0)]
    seeds: Seeds = (0, 1, 2)
    preset: Preset = "paper"
    candidates: dict[Name, dict[str, Any]] = Field(default_factory=dict)
    grid: dict[str, tuple[Any, ...]] = Field(default_factory=dict)
    targets: Annotated[tuple[Target, ...], Field(min_length=1)]
    choose_by: Name

    @model_validator(mode="after")
    def _fits_together(self) -> Calibration:
        names = [target.name for target in self.targets]
        if self.choose_by not in names:
            raise ValueError(
                f"choose_by: there is no target {self.choose_by!r}; there are {', '.join(names)}"
            )
        if not self.candidates and not self.grid:
            raise ValueError("candidates: give some by name, or a grid of settings")
        for name, given in self.tried().items():
            try:
                EvolutionSettings.preset(self.preset, given)
            except ConfigError as error:
                raise ValueError(f"candidates.{name}.{error}") from None
        return self

    def tried(self) -> dict[str, dict[str, Any]]:
        """Return what every candidate has in place of the preset's settings, the named ones first."""
        combinations = product(*self.grid.values()) if self.grid else ()
        numbered = {
            f"g{k:03d}": dict(zip(self.grid, values, strict=True)) for k, values in enumerate(combinations)
        }
        return {**self.candidates, **numbered}

    def experiment(self) -> Experiment:
        """Return the experiment that runs all candidates on all targets."""
        studies = [
            {**target.study(), "name": study_name(candidate, target.name), "evolution": given}
            for candidate, given in self.tried().items()
            for target in self.targets
        ]
        about = {"name": self.name, "seed": self.seed, "seeds": self.seeds, "timed_seeds": 0}
        first = studies[0]["datasets"]
        return validated(Experiment, {**about, "preset": self.preset, "datasets": first, "studies": studies})


def study_name(candidate: str, target: str) -> str:
    """Return the name of the study that runs a candidate on a target."""
    return f"{candidate}.{target}"


def read_calibration(path: Path, choose_by: str | None = None, has_runs: bool = True) -> Calibration:
    """Read a calibration from a YAML file, or raise one ConfigError that lists all that is wrong.

    ``choose_by`` replaces the target that chooses. Without runs of the original program, the targets that
    compare with them are left out.
    """
    content = read_mapping(path, "name, seed, candidates or grid, targets and choose_by")
    if choose_by:
        content = {**content, "choose_by": choose_by}
    calibration = validated(Calibration, content, str(path), context={"folder": path.parent})
    targets = tuple(target for target in calibration.targets if has_runs or target.kind != "runs")
    if calibration.choose_by not in [target.name for target in targets]:
        raise ConfigError(f"choose_by: {calibration.choose_by!r} compares with runs: give them with --runs")
    return calibration.model_copy(update={"targets": targets})
