"""`coffer inspect` as a process."""

import queue
import re
import signal
import subprocess
import threading

from machine import Machine

TIMEOUT = 300  # Seconds. Only bounds a failure.


class Inspector:
    """A running inspector of a machine's vault."""

    def __init__(self, machine: Machine, *arguments: str):
        if machine.passphrase is not None and "--ask-in-page" not in arguments:
            arguments += ("--passphrase-file", str(machine.passphrase_file))
        self.process = subprocess.Popen(
            machine.command("coffer", "inspect", "--no-open", *arguments), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=machine.environment, cwd=machine.home, text=True)
        self.output = ""
        self.lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()
        self.address = self.next_address()

    def read(self):
        for line in self.process.stdout:
            self.output += line
            self.lines.put(line)
        self.lines.put("")

    def next_address(self) -> str:
        """Waits until the inspector prints an address, and returns it with its token."""
        while True:
            try:
                line = self.lines.get(timeout=TIMEOUT)
            except queue.Empty:
                line = ""
            if found := re.search(r"http://\S+", line):
                return found.group()
            if not line:
                self.process.kill()
                raise RuntimeError(f"coffer inspect printed no address:\n{self.output}")

    @property
    def origin(self) -> str:
        return re.match(r"http://[^/]+", self.address).group()

    def lock(self):
        """Locks the vault at once, as a screen locker does."""
        self.process.send_signal(signal.SIGUSR1)

    def end(self) -> int:
        """Ends the inspector as Ctrl-C does, and returns its exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(TIMEOUT)
