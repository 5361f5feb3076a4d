#!/usr/bin/env python3
"""Adds to the rows of a benchmark, read from standard input, the ratio that the last release had.

compare-ratios.py NAME [--save]: NAME is the benchmark. With --save, its ratios replace those in ratios.json.
"""

import json
import re
import sys
from pathlib import Path

FILE = Path(__file__).with_name("ratios.json")
# Smaller is better. What is compared with several references has one row for each, which follows the ratio.
ROW = re.compile(r"  ?(?P<name>\S.*?)  .*?(?P<ratio>\d+\.\d\d) ×(?: (?P<reference>[a-z][^()]*) \()?")
# Machines are noisy; more than this is worth a word.
WORSE = 1.05


def main():
    benchmark, saves = sys.argv[1], "--save" in sys.argv
    known = json.loads(FILE.read_text()) if FILE.exists() else {}
    before, now, section, is_summary = known.get(benchmark, {}), {}, "", False
    for line in sys.stdin:
        line = line.rstrip("\n")
        if line and not line.startswith(" "):
            items = re.match(r"\d+ items", line)
            section = items[0] if items else ""
            is_summary = line.startswith("by number of items")
        elif not is_summary and (match := ROW.match(line)):
            key = " / ".join(filter(None, [section, match["name"], match["reference"]]))
            ratio = float(match["ratio"])
            now[key] = ratio
            if old := before.get(key):
                change = f", worse by {round(100 * (ratio / old - 1))} %" if ratio > WORSE * old else ""
                line += f"   before {old:.2f} ×{change}"
        print(line, flush=True)
    if saves:
        known[benchmark] = now
        FILE.write_text(json.dumps(known, indent=2, ensure_ascii=False, sort_keys=True) + "\n")


main()
