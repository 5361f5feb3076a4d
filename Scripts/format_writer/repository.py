"""A git repository, by the plumbing of git: branches, files, and commits like those that Coffer makes."""

import os
import pathlib
import subprocess
import tempfile

VAULT = "vault-"


class Repository:
    """A repository on this machine, or a copy of a remote one to which changes are pushed by force."""

    def __init__(self, where):
        self.url, self.scratch, self.reader = None, None, None
        if (pathlib.Path(where) / "HEAD").exists():
            self.path = where
            return
        self.url, self.scratch = where, tempfile.TemporaryDirectory()
        self.path = self.scratch.name
        subprocess.run(["git", "clone", "--quiet", "--mirror", where, self.path], check=True)

    def git(self, *arguments, input=None):
        environment = {"PATH": os.environ.get("PATH", os.defpath), "GIT_CONFIG_NOSYSTEM": "1", "HOME": "/nonexistent"}
        command = ["git", "--git-dir", self.path, *arguments]
        done = subprocess.run(command, input=input, capture_output=True, check=False, env=environment)
        if done.returncode:
            raise SystemExit(f"git {' '.join(arguments)}: {done.stderr.decode(errors='replace').strip()}")
        return done.stdout

    def branches(self):
        """The commit of each branch, by name."""
        lines = (
            self.git("for-each-ref", "--format=%(refname:lstrip=2) %(objectname)", "refs/heads").decode().split("\n")
        )
        return dict(line.split(" ") for line in lines if line)

    def commits(self):
        """All commits, also those that no branch has any more."""
        lines = self.git("cat-file", "--batch-check", "--batch-all-objects", "--unordered").decode().split("\n")
        return sorted(line.split(" ")[0] for line in lines if " commit " in line)

    def commit_of(self, name):
        """The commit of a branch, or one that is named by its hash."""
        return self.git("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}").decode().strip()

    def tree_of(self, commit):
        return self.git("rev-parse", f"{commit}^{{tree}}").decode().strip()

    def files(self, commit):
        """The identifier of each file, by path."""
        lines = self.git("ls-tree", "-r", "-z", commit).decode().split("\0")
        return {line.split("\t", 1)[1]: line.split(" ")[2].split("\t")[0] for line in lines if line}

    def content(self, file):
        """The bytes of a file, by its identifier."""
        if not self.reader:
            command = ["git", "--git-dir", self.path, "cat-file", "--batch"]
            self.reader = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.reader.stdin.write(file.encode() + b"\n")
        self.reader.stdin.flush()
        size = int(self.reader.stdout.readline().split()[2])
        return self.reader.stdout.read(size + 1)[:size]

    def commit(self, branch, changes, base=None, is_new=False):
        """Commits files onto a branch.

        changes: the bytes of each file by path; None removes it. base: the commit whose files the new one has besides;
        that of the branch if it is None, no files if it is "". is_new: whether the commit has no parent.
        """
        tip = self.branches().get(branch)
        base = tip if base is None else base
        stream = f"commit refs/heads/{branch}\ncommitter Coffer <coffer@localhost> 0 +0000\ndata 5\nSync\n".encode()
        if tip and not is_new:
            stream += f"from {tip}\n".encode()
        stream += f'M 040000 {self.tree_of(base)} ""\n'.encode() if base else b"deleteall\n"
        for path, content in changes.items():
            if content is None:
                stream += f'D "{path}"\n'.encode()
            else:
                stream += f'M 100644 inline "{path}"\ndata {len(content)}\n'.encode() + content + b"\n"
        self.git("fast-import", "--quiet", "--force", "--date-format=raw", input=stream + b"\n")
        self.publish(branch)

    def set(self, branch, commit):
        """Makes a branch name a commit, or deletes it if that is None."""
        arguments = ["-d", f"refs/heads/{branch}"] if commit is None else [f"refs/heads/{branch}", commit]
        self.git("update-ref", *arguments)
        self.publish(branch)

    def publish(self, branch):
        if self.url:
            here = f"refs/heads/{branch}" if branch in self.branches() else ""
            self.git("push", "--quiet", "--force", self.url, f"{here}:refs/heads/{branch}")

    def epochs(self):
        """The names of the branches of epochs, the latest last."""
        names = [name for name in self.branches() if name.startswith(VAULT) and name.split("-")[1].isdigit()]
        return sorted(names, key=lambda name: (int(name.split("-")[1]), name))
