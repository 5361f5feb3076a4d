"""A program whose root folder is a file system that never answers: nobody can find out whether it is in a sandbox.

silent_root.py FOLDER mounts the file system there and calls the secret service. Start it in a namespace of mounts of
its own. It prints a line when somebody looks into its root folder, and another one when the call has been answered:
after how many seconds, and with which answer.
"""

import ctypes
import os
import struct
import sys
import threading
import time

import dbus

# Of the protocol of FUSE.
LOOKUP, INIT, ACCESS = 1, 26, 34
ENOSYS = 38


def serve(device: int) -> None:
    """Answers what the kernel asks before a process can have the file system as its root folder, and nothing else."""
    while True:
        _, operation, unique = struct.unpack_from("<IIQ", os.read(device, 1 << 20))
        if operation == INIT:
            # Version 7.22, and the least of everything.
            body = struct.pack("<IIIIHHI", 7, 22, 0, 0, 0, 0, 4096)
            os.write(device, struct.pack("<IiQ", 16 + len(body), 0, unique) + body)
        elif operation == ACCESS:
            os.write(device, struct.pack("<IiQ", 16, -ENOSYS, unique))
        elif operation == LOOKUP:
            print("examined", flush=True)


def main(folder: str) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    service = dbus.SessionBus().get_object("org.freedesktop.secrets", "/org/freedesktop/secrets", introspect=False)
    outside = os.open("/", os.O_RDONLY)
    device = os.open("/dev/fuse", os.O_RDWR)
    threading.Thread(target=serve, args=[device], daemon=True).start()
    options = f"fd={device},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()}"
    if libc.mount(b"silent", folder.encode(), b"fuse", 0, options.encode()) != 0:
        sys.exit(f"cannot mount: {os.strerror(ctypes.get_errno())}")
    os.chroot(folder)
    begin = time.monotonic()
    try:
        # Longer than the service takes.
        answer = service.ReadAlias("default", dbus_interface="org.freedesktop.Secret.Service", timeout=240)
    except dbus.DBusException as error:
        answer = error.get_dbus_message()
    seconds = time.monotonic() - begin
    os.fchdir(outside)
    os.chroot(".")
    print(seconds, answer, flush=True)
    # The thread waits for ever.
    os._exit(0)


main(sys.argv[1])
