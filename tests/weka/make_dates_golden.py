"""Write down what Java's SimpleDateFormat makes of dates, as WEKA uses it (needs Java, but not WEKA).

tests/data/test_dates.py compares with tests/weka/golden/dates.json, whose patterns and texts this reads and
whose milliseconds it writes again; a new case is a line with null. Left out are the time zones that have
meant several offsets and those in forms that Java does not take, but we do.
"""

import json
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
GOLDEN = HERE / "golden" / "dates.json"


def main() -> None:
    """Ask Java for every case."""
    cases = [case[:2] for case in json.loads(GOLDEN.read_text(encoding="utf-8"))]
    lines = "".join(f"{pattern}\t{text}\n" for pattern, text in cases)
    done = subprocess.run(
        ["java", str(HERE / "Dates.java")], input=lines.encode(), stdout=subprocess.PIPE, check=True
    )
    answers = [None if answer == "-" else int(answer) for answer in done.stdout.decode().split()]
    golden = [json.dumps([*case, answer]) for case, answer in zip(cases, answers, strict=True)]
    GOLDEN.write_text("[\n" + ",\n".join(golden) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
