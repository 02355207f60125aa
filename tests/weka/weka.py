"""Run WEKA, where it is installed; for the checks of this folder, never for the test suite."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

_DEBIAN_JAR = "/usr/share/java/weka.jar"


@dataclass(frozen=True)
class J48Result:
    """Correct instances in cross-validation, and nodes of the tree on all data."""

    correct: int
    size: int

    def __str__(self) -> str:
        return f"{self.correct} / {self.size}"


def find_jar() -> Path:
    """Return WEKA's jar, or stop and say what to install."""
    jar = Path(os.environ.get("GATREE_WEKA_JAR", _DEBIAN_JAR))
    if not jar.is_file():
        raise SystemExit(
            f"no WEKA at {jar}: install it (Debian: apt-get install weka) or set GATREE_WEKA_JAR to weka.jar"
        )
    if not shutil.which("java"):
        raise SystemExit("no Java: install a runtime (Debian: apt-get install default-jre-headless)")
    return jar


def run(jar: Path, *arguments: str) -> str:
    """Run one of WEKA's classes and return what it prints."""
    done = subprocess.run(["java", "-cp", str(jar), *arguments], capture_output=True, text=True, check=False)
    if done.returncode or not done.stdout:
        raise SystemExit(f"WEKA failed on {' '.join(arguments)}:\n{done.stderr}")
    return done.stdout


def j48(jar: Path, file: Path, *options: str) -> J48Result:
    """Cross-validate J48 as the paper did: five folds, seed 1."""
    text = run(jar, "weka.classifiers.trees.J48", "-t", str(file), "-x", "5", "-s", "1", *options)
    size = re.search(r"Size of the tree :\s*(\d+)", text)
    correct = re.search(
        r"Stratified cross-validation.*?Correctly Classified Instances\s+(\d+)", text, re.DOTALL
    )
    if not size or not correct:
        raise SystemExit(f"WEKA printed no result for {file}:\n{text}")
    return J48Result(int(correct[1]), int(size[1]))
