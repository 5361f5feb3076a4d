"""A program that is linked with libsecret, as applications of desktops are."""

import shlex
import subprocess

from client_test_case import HERE, ClientTestCase


class Libsecret(ClientTestCase):
    def test_a_program_with_libsecret_stores_finds_changes_and_deletes_in_an_encrypted_session(self):
        program = compiled(HERE / "libsecret_client.c", self.folder() / "client")
        result = self.service.run(program, self.id(), seconds=600)
        steps = result.stdout.decode().splitlines()
        self.assertEqual((result.returncode, result.stderr, steps[-1:]), (0, b"", ["end"]), steps)

    def test_git_keeps_its_passwords_by_its_own_helper_for_libsecret(self):
        source = "/usr/share/doc/git/contrib/credential/libsecret/git-credential-libsecret.c"
        program = compiled(source, self.folder() / "git-credential-libsecret")
        home = self.folder()
        environment = {"HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "true"}

        def git(action: str, *lines: str) -> list[str]:
            text = "".join(f"{line}\n" for line in ("protocol=https", "host=git.example", *lines, ""))
            result = self.service.run(
                "git", "-c", f"credential.helper={program}", "credential", action, input=text.encode(),
                environment=environment)
            self.assertEqual(result.returncode, 0, result.stderr)
            return result.stdout.decode().splitlines()

        stored = ["username=jané", "password=p@ss wörd"]
        git("approve", *stored)
        self.assertEqual(git("fill"), ["protocol=https", "host=git.example", *stored])
        git("approve", "username=jané", "password=new")
        self.assertEqual(git("fill", "username=jané")[-1], "password=new")
        git("reject", "username=jané", "password=new")
        self.assertEqual(git("fill")[-2:], ["username=", "password="])


def compiled(source, program) -> str:
    """Compiles a program with libsecret, and returns its path."""
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "libsecret-1"], capture_output=True, text=True, check=True).stdout
    subprocess.run(["clang", "-Wall", "-o", str(program), str(source), *shlex.split(flags)], check=True)
    return str(program)
