"""A simulated machine: a temporary home folder, in which the real programs run as processes."""

import os
import pathlib
import subprocess

PLIST = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>application-identifier</key>
  <string>$(AppIdentifierPrefix){application}</string>
  <key>keychain-access-groups</key>
  <array>{groups}</array>
  <key>coffer-read-only-access-groups</key>
  <array>{read_only}</array>
</dict>
</plist>
"""


class Machine:
    def __init__(self, programs: pathlib.Path, home: pathlib.Path, passphrase: str | None = None):
        self.programs = programs
        self.home = home
        self.passphrase = passphrase
        home.mkdir(parents=True)
        self.passphrase_file = home / "passphrase"
        if passphrase is not None:
            self.passphrase_file.touch(mode=0o600)
            self.passphrase_file.write_text(passphrase)

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "COFFER_HOME": str(self.home / "coffer"),
            "LANG": "C.UTF-8",
            # Debug builds only; see the README of Tests.
            "COFFER_TEST_PASSPHRASE_COST": "floor",
            "TZ": "UTC",
        }

    def command(self, program: str, *arguments: str) -> list[str]:
        return [str(self.programs / program), *map(str, arguments)]

    def run(self, program: str, *arguments: str, input: str = "") -> str:
        """Runs a program and returns its output; raises an error with its messages unless it exits with 0."""
        environment = self.environment
        if self.passphrase is not None:
            environment["COFFER_PASSPHRASE_FILE"] = str(self.passphrase_file)
        result = subprocess.run(
            self.command(program, *arguments), input=input.encode(), capture_output=True, env=environment, cwd=self.home
        )
        output, errors = result.stdout.decode(), result.stderr.decode()
        if result.returncode != 0:
            words = " ".join([program, *map(str, arguments)])
            raise RuntimeError(f"{words}: exit code {result.returncode}\n{output}{errors}")
        return output.strip()

    def coffer(self, *arguments: str, input: str = "") -> str:
        return self.run("coffer", *arguments, input=input)

    def plist(self, application: str, groups: list[str], read_only: list[str] = []) -> str:
        """Writes the entitlements of an app, whose groups are named without the team's prefix; returns the path."""
        path = self.home / f"{application}.entitlements"
        texts = ["".join(f"<string>$(AppIdentifierPrefix){group}</string>" for group in names)
                 for names in (groups, read_only)]
        path.write_text(PLIST.format(application=application, groups=texts[0], read_only=texts[1]))
        return str(path)
