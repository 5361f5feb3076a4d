#!/usr/bin/env python3
"""Measures imports from a real store of pass and from KeePassXC, beside their own exports: see Scripts/bench --help.

Usage: import-times.py --programs FOLDER [--entries N]
"""

import argparse
import concurrent.futures
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

# What pass show runs for each entry, and pass has no other export.
DECRYPT = ["gpg", "--quiet", "--yes", "--compress-algo=none", "--no-encrypt-to", "--batch", "--decrypt"]


def contents(number):
    return f"value {number}\nlogin: user {number}\nurl: https://{number}.example\n"


class Bench:
    def __init__(self, programs, folder):
        self.coffer = str(programs / "coffer")
        self.folder = folder
        self.environment = dict(os.environ, GNUPGHOME=str(folder / "gnupg"), COFFER_LIBEXEC=str(programs))
        (folder / "gnupg").mkdir(mode=0o700)

    def run(self, *command, text=None, output=None):
        """Runs a program, and returns how many seconds it took."""
        start = time.monotonic()
        subprocess.run(
            command, input=text, stdout=output or subprocess.DEVNULL, stderr=subprocess.PIPE, env=self.environment, check=True)
        return time.monotonic() - start

    def make_store(self, count):
        """Encrypts the entries as pass does, several at a time."""
        self.run("gpg", "--batch", "--passphrase", "", "--quick-generate-key", "bench@example.org", "future-default",
                 "default", "never")
        store = self.folder / "store"
        for folder in range(100):
            (store / f"folder {folder}").mkdir(parents=True)
        (store / ".gpg-id").write_text("bench@example.org\n")

        def encrypt(number):
            self.run(
                "gpg", "--quiet", "--batch", "--yes", "--compress-algo=none", "--no-encrypt-to", "--trust-model", "always",
                "--recipient", "bench@example.org", "--encrypt", "--output",
                str(store / f"folder {number % 100}" / f"entry {number}.gpg"), text=contents(number).encode())

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(encrypt, range(count)))
        return store

    def make_database(self, count):
        """Makes a database from an XML export with the entries, as KeePassXC imports it."""
        entries = "".join(
            f"<Entry><UUID>{number:022d}AA==</UUID><Times><CreationTime>2020-01-02T03:04:05Z</CreationTime></Times>"
            f"<String><Key>Title</Key><Value>entry {number}</Value></String>"
            f"<String><Key>UserName</Key><Value>user {number}</Value></String>"
            f"<String><Key>Password</Key><Value ProtectInMemory=\"True\">value {number}</Value></String>"
            f"<String><Key>URL</Key><Value>https://{number}.example</Value></String></Entry>" for number in range(count))
        source = self.folder / "source.xml"
        source.write_text(
            "<KeePassFile><Meta/><Root><Group><UUID>AAAAAAAAAAAAAAAAAAAAAA==</UUID><Name>Root</Name>"
            f"{entries}</Group></Root></KeePassFile>")
        database = self.folder / "a.kdbx"
        self.run("keepassxc-cli", "import", "--set-password", str(source), str(database), text=b"master\nmaster\n")
        return database

    def imported(self, name, *arguments):
        """Imports into an empty vault and once more, and returns both times."""
        self.environment["COFFER_HOME"] = str(self.folder / f"vault of {name}")
        times = []
        for expected in "newCount", "sameCount":
            start = time.monotonic()
            output = subprocess.run(
                [self.coffer, "import", *arguments, "--json"], capture_output=True, env=self.environment, check=True).stdout
            times.append(time.monotonic() - start)
            report = json.loads(output)
            if report[expected] < report["entryCount"] or report["skipped"]:
                raise SystemExit(f"{name}: {report}")
        return times, report["entryCount"], report["sameCount"]


def row(name, own, times, entries, items):
    again = f"again {times[1]:.1f} s"
    print(f"{name:10} {entries} entries, {items} items: own export {own:.1f} s, coffer import {times[0]:.1f} s"
          f" ({times[0] / own:.2f}×), {again}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--programs", type=Path, required=True)
    parser.add_argument("--entries", type=int, default=10_000)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="coffer-bench."))
    bench = Bench(options.programs.resolve(), folder)
    try:
        store = bench.make_store(options.entries)
        start = time.monotonic()
        for file in sorted(store.rglob("*.gpg")):
            bench.run(*DECRYPT, str(file))
        own = time.monotonic() - start
        row("pass", own, *bench.imported("pass", "pass", str(store)))
        database = bench.make_database(options.entries)
        with open(folder / "export.xml", "wb") as export:
            own = bench.run("keepassxc-cli", "export", "--format", "xml", str(database), text=b"master\n", output=export)
        row("KeePassXC", own, *bench.imported("keepassxc", "keepassxc", str(folder / "export.xml")))
    finally:
        subprocess.run(["gpgconf", "--kill", "all"], env=bench.environment, check=False)
        shutil.rmtree(folder, ignore_errors=True)


main()
