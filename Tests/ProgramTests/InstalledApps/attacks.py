"""What a process does to another one of the same user. Prints the names of the attacks that have worked.

Usage: attacks.py PROGRAM [ARGUMENT]...
       attacks.py --process NUMBER

The program's standard output is a pipe that is full, so that it waits with its vault open. With --process, another process
that runs and waits is attacked.
"""

import ctypes
import os
import subprocess
import sys
import time

libc = ctypes.CDLL(None, use_errno=True)



def start(command):
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    try:
        while True:
            os.write(writing, b"x" * 4096)
    except BlockingIOError:
        pass
    os.set_blocking(writing, True)
    child = subprocess.Popen(command, stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    return child, reading


# The reading end stays open.
child, reading = (None, None) if sys.argv[1] == "--process" else start(sys.argv[1:])
process = int(sys.argv[2]) if child is None else child.pid


def status(name):
    with open(f"/proc/{process}/status") as file:
        return next(line.split(":")[1].split() for line in file if line.startswith(name))


def waits():
    # In a call of the operating system, with the vault's store open: it has been read.
    return status("State")[0] == "S" and int(status("voluntary_ctxt_switches")[0]) > 0


deadline = time.monotonic() + 60
while (child is None or child.poll() is None) and not waits():
    if time.monotonic() > deadline:
        sys.exit("the program does not wait")
    time.sleep(0.01)
if child is not None and child.poll() is not None:
    sys.exit(f"the program has ended: {child.stderr.read().decode()}")

worked = []


def attack(name, body):
    try:
        body()
    except OSError:
        return
    worked.append(name)


def call(function, *arguments):
    if function(*arguments) == -1:
        raise OSError(ctypes.get_errno(), function.__name__)


def attach():
    call(libc.ptrace, 16, process, None, None)
    os.waitpid(process, 0)
    call(libc.ptrace, 17, process, None, None)


def seize():
    call(libc.ptrace, 0x4206, process, None, None)
    call(libc.ptrace, 0x4207, process, None, None)
    os.waitpid(process, 0)
    call(libc.ptrace, 17, process, None, None)


def open_file(name):
    with open(f"/proc/{process}/{name}", "rb") as file:
        file.read(1)


def take_descriptor():
    pidfd = os.pidfd_open(process)
    call(libc.syscall, 438, pidfd, 2, 0)


def read_memory():
    class Part(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]

    buffer = ctypes.create_string_buffer(1)
    own = Part(ctypes.addressof(buffer), 1)
    # Any address: it is refused, or fails with EFAULT.
    if libc.process_vm_readv(process, ctypes.byref(own), 1, ctypes.byref(Part(4096, 1)), 1, 0) == -1:
        if ctypes.get_errno() != 14:
            raise OSError(ctypes.get_errno(), "process_vm_readv")


attack("mem", lambda: os.close(os.open(f"/proc/{process}/mem", os.O_RDONLY)))
for name in ("environ", "maps", "auxv"):
    attack(name, lambda name=name: open_file(name))
attack("exe", lambda: os.readlink(f"/proc/{process}/exe"))
attack("fd", lambda: os.listdir(f"/proc/{process}/fd"))
attack("attach", attach)
attack("seize", seize)
attack("vm_readv", read_memory)
attack("pidfd_getfd", take_descriptor)
print(" ".join(worked))
if child is not None:
    child.kill()
