"""The live view: every frame fits the terminal, and shows the numbers of its generation."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from rich.text import Text

from gatree import load_dataset
from gatree.cli.live import LiveView
from gatree.evolution.evolve import Evolution
from gatree.evolution.problem import Problem
from gatree.settings.evolution_settings import EvolutionSettings


def evolved_in(screen: io.TextIOWrapper, width: int, **changes: object) -> Evolution:
    """Run 30 of 40 generations in a live view."""
    console = Console(file=screen, width=width, force_terminal=True, color_system=None, legacy_windows=False)
    about = {"population_size": 40, "n_generations": 40, "mutation_rate": 0.5, **changes}
    settings = EvolutionSettings.model_validate(about)
    evolution = Evolution(Problem.of(load_dataset("glass")), settings)
    with LiveView("glass: 214 instances, population 40", console) as view:
        view.say("starting")
        for _ in range(30):
            evolution.step()
            view.show(evolution)
    return evolution


def last_frame(width: int, encoding: str = "utf-8", **changes: object) -> tuple[Evolution, list[str]]:
    """Return an evolution and the last frame that was shown of it, as lines of text."""
    screen = io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline="")
    evolution = evolved_in(screen, width, **changes)
    screen.seek(0)
    text = screen.read().rpartition("\x1b[2K")[2]
    return evolution, Text.from_ansi(text.replace("\x1b[?25h", "")).plain.strip("\n").splitlines()


@pytest.mark.parametrize("width", [20, 40, 59, 60, 100, 300])
def test_a_frame_fits_the_terminal(width):
    _, lines = last_frame(width)
    assert max(map(len, lines)) <= width
    assert len(lines) == (10 if width < 60 else 9)


def test_a_frame_shows_the_numbers_of_the_generation():
    evolution, lines = last_frame(100)
    text, row = "\n".join(lines), evolution.history[30]
    assert "glass: 214 instances" in text
    assert "generation 30/40  about 1 s left" in text
    assert f"payoff {row['best_payoff']:.4f}" in text
    assert f"accuracy {row['best_correct'] / 214:.1%}" in text
    assert f"size {row['best_nodes']} nodes" in text
    assert f"saved {1 - row['instances_reclassified'] / row['instances_total']:.1%}" in text


def test_accuracy_is_a_share_of_the_weight_where_classes_have_weights():
    evolution, lines = last_frame(100, class_weight="balanced")
    accuracy = evolution.history[30]["best_correct"] / evolution.total_weight
    assert f"accuracy {accuracy:.1%}" in "\n".join(lines)
    highest = evolution.history[:31]["best_correct"].max() / evolution.total_weight
    assert any(line.startswith(f"accuracy {highest:.3f}") for line in lines)


def test_the_plot_ends_at_its_highest_point_if_that_is_where_it_is():
    _, lines = last_frame(60)
    accuracy = next(line for line in lines if line.startswith("accuracy 0"))
    assert accuracy.endswith("█")


def test_a_terminal_without_unicode():
    assert all(line.isascii() for line in last_frame(60, encoding="ascii")[1])
