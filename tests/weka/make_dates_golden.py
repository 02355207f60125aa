"""Write down what Java's SimpleDateFormat makes of dates, as WEKA uses it (needs Java, but not WEKA).

tests/data/test_dates.py compares with the file that this writes, tests/weka/golden/dates.json. Left out are
the time zones that have meant several offsets and those in forms that Java does not take, but we do.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
GOLDEN = HERE / "golden" / "dates.json"

CASES = {
    "yyyy-MM-dd": [
        "1582-10-15",
        "1582-10-14",
        "1582-10-05",
        "1582-10-04",
        "1500-02-29",
        "1500-02-30",
        "0001-01-01",
        "0000-01-01",
        "0-01-01",
        "-5-01-01",
        "12345-01-01",
        "999999-01-01",
        "1900-02-29",
        "1600-02-29",
        "4-02-29",
        "100-02-29",
        "300000000-01-01",
        "2001- 1- 2",
        "2001-1.5-02",
        "+2001-01-01",
        "2001-+1-02",
        "२००१-०१-०१",
    ],
    "D yyyy": [
        "288 1582",
        "287 1582",
        "277 1582",
        "278 1582",
        "355 1582",
        "356 1582",
        "365 1582",
        "366 1500",
        "1 1500",
        "60 4",
    ],
    "yyyy D MM": ["2000 60 02", "2000 60 01", "2000 60 03"],
    "D yyyy dd MM": ["60 2000 29 02", "60 2000 29 03"],
    "yy": ["00", "25", "45", "46", "47", "50", "68", "69", "99", "5", "005", "1", "123", "-1"],
    "y": ["25", "5", "1995"],
    "yyy": ["25", "46"],
    "yy-MM-dd": ["46-11-17", "46-11-18", "46-11-19", "46-12-31", "46-01-01"],
    "EEE, d MMM yyyy": [
        "Sat, 3 April 1999",
        "Sun, 3 April 1999",
        "sat, 3 APR 1999",
        "Saturday, 3 Apr 1999",
        "Sa, 3 Apr 1999",
    ],
    "EEE": ["Mon", "Thu", "Fri", "Sunday"],
    "EEE yyyy": ["Mon 2001", "Sun 2001"],
    "EEE MM yyyy": ["Mon 01 2001", "Tue 02 2003"],
    "EEE D yyyy": ["Mon 1 2001", "Tue 1 2001"],
    "E": ["Thu"],
    "MMM": ["Sept", "Sep", "Mai", "May", "June", "Jun", "Juneau", "M"],
    "MMMMM": ["June", "Jun", "J"],
    "a": ["AM", "pm", "P", "PM"],
    "h:mm a": ["12:30 AM", "0:30 AM", "13:00 PM", "12:30 pm", "12:30pm", "12:30PM"],
    "hh a": ["13 PM", "12 PM", "0 AM"],
    "h": ["12", "5", "0", "13"],
    "HH h a": ["13 1 PM", "13 2 PM", "13 1 AM", "12 12 PM"],
    "HH a": ["13 PM", "13 AM", "1 AM", "1 PM"],
    "H k": ["5 5", "0 24", "5 6"],
    "k K a": ["13 1 PM", "13 2 PM"],
    "k": ["24", "0", "25", "1"],
    "K a": ["0 PM", "12 PM", "11 PM"],
    "S": ["5", "1000", "999", "005"],
    "ss.S": ["1.5", "1.500", "60.1"],
    "mm": ["60", "59"],
    "HH": ["24", "23", "-1"],
    "yyyyMMdd": ["20010102", "2001 1 2", "2001 1 02", "2001012", "200112", "120010102"],
    "yyyyMMddHHmmss": ["20010102030405", "2001 1 2 3 4 5"],
    "yyyyMMMdd": ["2001Jan02", "2001Jan2", "12001Jan02"],
    "HHmm": ["0130", "130", "13 5"],
    "dMMMyy": ["3Apr99", "03APR47"],
    "yyyy-MM-dd HH:mm Z": [
        "1970-01-01 02:00 +0200",
        "1970-01-01 02:00 GMT+2:00",
        "1970-01-01 02:00 PST",
        "1970-01-01 02:00 -0000",
        "1970-01-01 02:00 +2400",
        "1970-01-01 02:00 +0260",
        "1970-01-01 02:00 GMT",
    ],
    "yyyy-MM-dd HH:mm z": [
        "1970-01-01 02:00 GMT",
        "1970-01-01 02:00 UTC",
        "1970-01-01 02:00 UT",
        "1970-01-01 02:00 PST",
        "1970-01-01 02:00 PDT",
        "1970-01-01 02:00 EST",
        "1970-01-01 02:00 EDT",
        "1970-01-01 02:00 CST",
        "1970-01-01 02:00 CDT",
        "1970-01-01 02:00 MST",
        "1970-01-01 02:00 MDT",
        "1970-01-01 02:00 HST",
        "1970-01-01 02:00 CET",
        "1970-01-01 02:00 CEST",
        "1970-01-01 02:00 EET",
        "1970-01-01 02:00 EEST",
        "1970-01-01 02:00 IST",
        "1970-01-01 02:00 JST",
        "1970-01-01 02:00 KST",
        "1970-01-01 02:00 HKT",
        "1970-01-01 02:00 AEST",
        "1970-01-01 02:00 AEDT",
        "1970-01-01 02:00 ACST",
        "1970-01-01 02:00 AWST",
        "1970-01-01 02:00 NZST",
        "1970-01-01 02:00 NZDT",
        "1970-01-01 02:00 AST",
        "1970-01-01 02:00 ADT",
        "1970-01-01 02:00 NST",
        "1970-01-01 02:00 NDT",
        "1970-01-01 02:00 BRT",
        "1970-01-01 02:00 ART",
        "1970-01-01 02:00 SAST",
        "1970-01-01 02:00 EAT",
        "1970-01-01 02:00 WAT",
        "1970-01-01 02:00 CAT",
        "1970-01-01 02:00 PKT",
        "1970-01-01 02:00 WIB",
        "1970-01-01 02:00 PHT",
        "1970-01-01 02:00 GMT+02:00",
        "1970-01-01 02:00 +0200",
        "1970-01-01 02:00 gmt",
        "1970-01-01 02:00 pst",
        "1970-01-01 02:00 Pst",
        "1970-01-01 02:00 Europe/Paris",
        "1970-01-01 02:00 America/New_York",
        "1970-01-01 02:00 XYZ",
        "1970-01-01 02:00 Pacific Standard Time",
        "1970-01-01 02:00 Central European Summer Time",
        "1970-01-01 02:00 Greenwich Mean Time",
        "1970-01-01 02:00 Coordinated Universal Time",
    ],
    "yyyy-MM-dd HH:mmX": ["1970-01-01 00:00Z", "1970-01-01 00:00+02"],
    "yyyy-MM-dd HH:mmXX": ["1970-01-01 00:00Z", "1970-01-01 00:00+0230"],
    "yyyy-MM-dd HH:mmXXX": ["1970-01-01 00:00Z", "1970-01-01 00:00+02:30"],
    "yyyy-MM-dd HH:mm:ss z": [
        "2005-07-01 12:00:00 PST",
        "2005-07-01 12:00:00 PDT",
        "2005-01-01 12:00:00 PDT",
        "2005-07-01 12:00:00 CET",
        "1950-07-01 12:00:00 CET",
    ],
    "yyyy/MM/dd": ["2001/1/2", "2001/ 1/2", "2001 /1/2", " 2001/1/2"],
    "yyyy MM": ["2001  1", "2001 1", "20011"],
    "MM dd": ["02 29", "2 28", "02 30"],
    "dd": ["31", "32", "0"],
    "yyyy yyyy": ["2001 2001", "2001 2002"],
    "MM-dd-MM": ["02-03-02", "02-03-03"],
    "HH 'o''clock'": ["5 o'clock", "5 O'clock"],
    "yyyy--MM": ["2001--01", "2001-01"],
    "d-M": ["1--1", "-1-1"],
    "dd. MMMM yyyy": ["1. März 2001", "1. March 2001"],
    "d0d": ["101", "1011", "10101"],
    "mm''ss": ["5'6"],
    "yyyyy": ["02001", "2001"],
    "y-M-d H:m:s": ["2001-1-1 1:1:1"],
}


def main() -> None:
    """Ask Java for every case."""
    cases = [(pattern, text) for pattern, texts in CASES.items() for text in texts]
    lines = "".join(f"{pattern}\t{text}\n" for pattern, text in cases)
    done = subprocess.run(
        ["java", str(HERE / "Dates.java")], input=lines.encode(), stdout=subprocess.PIPE, check=True
    )
    answers = [None if answer == "-" else int(answer) for answer in done.stdout.decode().split()]
    golden = [json.dumps([*case, answer]) for case, answer in zip(cases, answers, strict=True)]
    GOLDEN.write_text("[\n" + ",\n".join(golden) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
