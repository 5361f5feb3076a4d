"""Prints what programs contain and load, as a list in the form SPDX 2.3 (JSON).

Usage: sbom.py NAME VERSION TIME CHECKOUT [PROGRAM]...

TIME is in seconds since 1970. CHECKOUT has the .build folder of the programs, which have their symbols. A Swift package is
listed if a program has a symbol of one of its modules, and a Debian package if a program loads a library of it. The list also
names what a second build needs: the commit, as the source of the package, and the compiler, as the tool that has made it.
"""

import datetime
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys


def output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def modules_of(programs: list[str]) -> set[str]:
    """The Swift modules of the symbols, which name the module behind the number of its letters, and prefixes of C modules."""
    found = set()
    for program in programs:
        for symbol in output("nm", "--format=posix", program).splitlines():
            name = symbol.split(" ", 1)[0]
            if match := re.match(r"\$s(\d+)([A-Za-z_]\w*)", name):
                found.add(match[2][: int(match[1])])
            elif match := re.match(r"(C[A-Z]\w+?)_", name):
                found.add(match[1])
    return found


def swift_packages(checkout: pathlib.Path, modules: set[str]) -> list[dict]:
    state = json.loads((checkout / ".build/workspace-state.json").read_text(encoding="utf-8"))
    packages = []
    for dependency in state["object"]["dependencies"]:
        folder = checkout / ".build/checkouts" / dependency["subpath"]
        if not modules & {path.name for path in (folder / "Sources").glob("*")}:
            continue
        url, found = dependency["packageRef"]["location"], dependency["state"]["checkoutState"]
        packages.append(package(
            dependency["packageRef"]["identity"], found["version"], f"git+{url}@{found['revision']}", "STATIC_LINK"))
    return packages


def debian_packages(programs: list[str]) -> list[dict]:
    names = set()
    for program in programs:
        for line in output("ldd", program).splitlines():
            if match := re.search(r"=> (/\S+)", line):
                if "/lib/swift/" not in match[1]:
                    names.add(owner(match[1]))
    packages = []
    for name in sorted(names):
        version = output("dpkg-query", "-W", "-f", "${Version}\n", name).splitlines()[0]
        packages.append(package(name, version, "NOASSERTION", "DYNAMIC_LINK"))
    return packages


def static_library() -> dict:
    """The package of libstdc++.a, which Scripts/build-release links."""
    clang = pathlib.Path(shutil.which("swift") or "").resolve().parent / "clang"
    compiler = str(clang) if clang.exists() else "cc"
    name = owner(output(compiler, "-print-file-name=libstdc++.a").strip())
    return package(name, output("dpkg-query", "-W", "-f", "${Version}", name), "NOASSERTION", "STATIC_LINK")


def owner(path: str) -> str:
    """The package of a library. dpkg knows some by the path below /lib, which is a link, and others by that below /usr."""
    paths = [path, str(pathlib.Path(path).resolve()), path.removeprefix("/usr"), "/usr" + path]
    found = subprocess.run(["dpkg", "-S", *paths], capture_output=True, text=True).stdout
    if not found:
        sys.exit(f"sbom: no package has {path}")
    return found.split(":", 1)[0]


def package(name: str, version: str, location: str, relation: str) -> dict:
    return {"name": name, "versionInfo": version, "downloadLocation": location, "relation": relation}


def source(checkout: pathlib.Path) -> str:
    """The commit, and whether files of the checkout differ from it."""
    git = ("git", "-C", str(checkout))
    found = subprocess.run([*git, "rev-parse", "--quiet", "--verify", "HEAD"], capture_output=True, text=True)
    if found.returncode:
        return "no commit"
    changes = output(*git, "status", "--porcelain", "--untracked-files=no")
    return f"commit {found.stdout.strip()}{' with changes' if changes else ''}"


def main() -> int:
    if len(sys.argv) < 5:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    name, version, time, checkout, *programs = sys.argv[1:]
    created = datetime.datetime.fromtimestamp(int(time), datetime.timezone.utc)
    compiler = re.search(r"Swift version (\S+) \(([^ )]+)", output("swift", "--version"))
    if not compiler:
        sys.exit("sbom: swift --version names no version")
    parts = []
    if programs:
        parts += swift_packages(pathlib.Path(checkout), modules_of(programs)) + debian_packages(programs)
        parts.append(package("swift-runtime", compiler[1], "https://www.swift.org", "STATIC_LINK"))
        parts.append(static_library())
    parts.sort(key=lambda part: part["name"])
    own = package(name, version, "NOASSERTION", "DESCRIBES")
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", identifier(own))]
    relations += [(identifier(own), part["relation"], identifier(part)) for part in parts]
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"{name}-{version}",
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: coffer-Scripts-package", f"Tool: {compiler[2]}"]},
        "packages": [described(part) for part in [own, *parts]],
        "relationships": [
            {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other} for one, kind, other in relations
        ],
    }  # fmt: skip
    # Hummingbird uses withoutActuallyEscaping, for which the compiler writes the length of the source file's path into the program.
    if any(part["name"] == "hummingbird" for part in parts):
        length = len(os.fsencode(pathlib.Path(checkout).resolve()))
        document["creationInfo"]["comment"] = f"Built in a folder whose path has {length} bytes."
    document["packages"][0]["sourceInfo"] = source(pathlib.Path(checkout))
    text = json.dumps(document["packages"], sort_keys=True).encode()
    document["documentNamespace"] = f"https://coffer.invalid/spdx/{name}-{version}-{hashlib.sha256(text).hexdigest()[:32]}"
    print(json.dumps(document, indent=2))
    return 0


def identifier(part: dict) -> str:
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", part["name"])


def described(part: dict) -> dict:
    fields = {"SPDXID": identifier(part), "filesAnalyzed": False, "licenseConcluded": "NOASSERTION"}
    fields |= {"licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION"}
    return fields | {key: part[key] for key in ("name", "versionInfo", "downloadLocation")}


if __name__ == "__main__":
    sys.exit(main())
