#!/usr/bin/env python3
"""Measures the requests of a browser to a running inspector, and its memory.

Usage: inspector-requests.py PROGRAM HOME

PROGRAM is coffer-inspect, and HOME the value of COFFER_HOME, with a vault that has no passphrase. Times are those of
one connection, from the first byte of the request to the last byte of the answer. Only for Linux.
"""

import http.client
import os
import re
import statistics
import subprocess
import sys
import time
from urllib.parse import quote

PAGE_TARGET, SEARCH_TARGET, MEMORY_TARGET = 150, 100, 100
ROUNDS = 9


class Browser:
    def __init__(self, address):
        self.host, token = re.match(r"http://([^/]+)/#(\S+)", address).groups()
        self.connection = http.client.HTTPConnection(self.host, timeout=300)
        status, headers, _ = self.ask(
            "POST", "/session", f"token={token}",
            {"Content-Type": "application/x-www-form-urlencoded", "Origin": f"http://{self.host}"})
        if status not in (302, 303):
            sys.exit(f"inspector-requests: the token was answered with {status}")
        self.cookie = headers["Set-Cookie"].split(";")[0]

    def ask(self, method, path, body=None, headers=None):
        all_headers = {"Sec-Fetch-Site": "same-origin", **(headers or {})}
        if hasattr(self, "cookie"):
            all_headers["Cookie"] = self.cookie
        self.connection.request(method, path, body, all_headers)
        answer = self.connection.getresponse()
        return answer.status, answer.headers, answer.read()

    def time(self, path, headers=None):
        """Returns the milliseconds of a request."""
        start = time.perf_counter()
        status, _, _ = self.ask("GET", path, headers=headers)
        milliseconds = (time.perf_counter() - start) * 1000
        if status != 200:
            sys.exit(f"inspector-requests: {path} was answered with {status}")
        return milliseconds


def report(name, milliseconds, target=None):
    goal = f" (target {target} ms)" if target else ""
    print(f"  {name:<44} {milliseconds:.1f} ms{goal}")


def memory(process, name):
    with open(f"/proc/{process.pid}/status", encoding="utf-8") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith(f"{name}:"))


def main():
    if len(sys.argv) != 3:
        print(__doc__)
        sys.exit(0 if sys.argv[1:] in (["-h"], ["--help"]) else 2)
    program, home = sys.argv[1:]
    process = subprocess.Popen(
        [program, "--no-open"], env={**os.environ, "COFFER_HOME": home}, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True)
    try:
        for line in process.stdout:
            if found := re.search(r"http://\S+", line):
                break
        else:
            sys.exit("inspector-requests: the inspector printed no address")
        browser = Browser(found.group())
        report("overview, the first time", browser.time("/"), PAGE_TARGET)
        report("items, the first time", browser.time("/items"), PAGE_TARGET)
        report("index of all items, once", browser.time("/items?q=x"))
        for name, path in [
            ("overview", "/"), ("items", "/items"), ("last page of the items", "/items?page=1000000"),
            ("items by name", "/items?sort=name"), ("who reads what", "/access"), ("membership log", "/log")
        ]:
            report(name, statistics.median(browser.time(path) for _ in range(ROUNDS)), PAGE_TARGET)
        keystrokes = []
        for text in ["service-12", "account 4711", "a", "nothing of this", "e.com account 99"]:
            for end in range(1, len(text) + 1):
                path = f"/items?q={quote(text[:end])}"
                keystrokes += [browser.time(path, {"X-Coffer-Fragment": "items"}) for _ in range(3)]
        report("search, median of all keystrokes", statistics.median(keystrokes))
        report("search, slowest keystroke", max(keystrokes), SEARCH_TARGET)
        print(
            f"  memory {memory(process, 'VmRSS'):.1f} MiB, at most {memory(process, 'VmHWM'):.1f} MiB"
            f" (target {MEMORY_TARGET} MiB)")
    finally:
        process.terminate()
        process.wait()


main()
