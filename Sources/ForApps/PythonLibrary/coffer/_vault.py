"""Vaults, items and values."""

from __future__ import annotations

import contextlib
import ctypes
import datetime
import enum
import os
import select
from collections.abc import Callable, Iterator
from ctypes import byref, c_int, c_int32, c_size_t, c_void_p
from dataclasses import dataclass
from typing import Any, TypeVar, Union

from coffer._library import BODY, Error, call, library

Bytes = Union[bytes, bytearray, memoryview]
Result = TypeVar("Result")


class Enforcement(enum.IntEnum):
    """What keeps other programs of the same user from the app's groups, as in coffer.h."""

    NOTHING = 0
    POLICY = 1
    FILE = 2
    INSTALL = 3
    SANDBOX = 4


@dataclass(frozen=True)
class Group:
    name: str
    is_writable: bool


@dataclass(frozen=True)
class Item:
    """The names of an item, without its value."""

    service: str
    account: str
    label: str | None
    group: str
    writer_app: str | None
    writer_machine: str
    created: datetime.datetime
    modified: datetime.datetime
    has_conflict: bool


@dataclass(frozen=True)
class Version:
    """What one author wrote at one time. The value is that of the version; None if it deleted the item."""

    group: str
    writer_app: str | None
    writer_machine: str
    written: datetime.datetime
    is_current: bool
    value: Secret | None


class Secret:
    """The bytes of a value in the library's memory, which are wiped when the `with` block ends, or with the object and its
    views.

    `bytes(secret)` and `secret.text()` make copies that Python does not wipe.
    """

    def __init__(self, start: int | None, count: int) -> None:
        self._start, self._count = start, count

    def view(self) -> memoryview:
        """The bytes where they are, which last as long as the view. It must not be used after `wipe`."""
        if self._start is None:
            raise ValueError("the value was wiped")
        memory: Any = (ctypes.c_uint8 * self._count).from_address(self._start)
        # The view keeps the array, but not this object, whose end would free the bytes.
        memory._owner = self
        return memoryview(memory).cast("B").toreadonly()

    def text(self) -> str:
        return bytes(self).decode()

    def wipe(self) -> None:
        start, self._start = self._start, None
        if start is not None:
            library.value_free(start, self._count)

    def __bytes__(self) -> bytes:
        return bytes(self.view())

    def __len__(self) -> int:
        return self._count

    def __repr__(self) -> str:
        return f"<Secret of {self._count} bytes>"

    def __enter__(self) -> Secret:
        return self

    def __exit__(self, *_: object) -> None:
        self.wipe()

    def __del__(self) -> None:
        self.wipe()


class Watch:
    """A descriptor that becomes readable after changes, for `select` and the loops of frameworks."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def fileno(self) -> int:
        return self._descriptor

    def wait(self, timeout: float | None = None) -> bool:
        """Waits for a change. Returns False after the timeout, in seconds, or if the watch has ended."""
        ready, _, _ = select.select([self._descriptor], [], [], timeout)
        return bool(ready) and self.clear()

    def clear(self) -> bool:
        """Reads what makes the descriptor readable. Returns False if the watch has ended."""
        return bool(os.read(self._descriptor, 4096))

    def close(self) -> None:
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Vault:
    """The user's vault, opened as an app. Threads may share it; close it when none of them uses it."""

    def __init__(self, handle: int) -> None:
        self._open: int | None = handle

    @property
    def _handle(self) -> int:
        if self._open is None:
            raise ValueError("the vault is closed")
        return self._open

    def close(self) -> None:
        """Wipes the keys and ends the watches."""
        handle, self._open = self._open, None
        if handle is not None:
            library.close(handle)

    def __enter__(self) -> Vault:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def read(self, service: str, account: str, *, group: str | None = None) -> Secret:
        """Returns the value of an item. Raises NotFoundError if no group of the search has it."""
        return _value(library.read, self._handle, *_names(service, account, group))

    def write(
        self, service: str, account: str, value: Bytes, *, group: str | None = None, label: str | None = None
    ) -> None:
        """Adds an item or replaces its value. A bytearray can be wiped by the caller afterwards."""
        view = memoryview(value)
        with _buffer(view) as memory:
            call(
                library.write, self._handle, *_names(service, account, group), *_name(label), memory, view.nbytes)

    def delete(self, service: str, account: str, *, group: str | None = None) -> None:
        """Deletes an item. Raises NotFoundError if it does not exist."""
        call(library.delete, self._handle, *_names(service, account, group))

    def find(
        self, service: str | None = None, account: str | None = None, *, group: str | None = None
    ) -> list[Item]:
        """Returns items, oldest first, without their values. Damaged items are left out."""
        with _rows(library.find, self._handle, *_names(service, account, group)) as rows:
            return [
                Item(
                    row.text(0) or "", row.text(1) or "", row.text(2), row.text(3) or "", row.text(4),
                    row.text(5) or "", row.time(0), row.time(1), row.number(2) == 1)
                for row in rows
            ]

    def versions(self, service: str, account: str, *, group: str | None = None) -> list[Version]:
        """Returns the versions of an item that this machine has, newest first."""
        with _rows(library.versions, self._handle, *_names(service, account, group)) as rows:
            return [
                Version(
                    row.text(3) or "", row.text(4), row.text(5) or "", row.time(1), row.number(3) == 1,
                    None if row.number(4) == 1 else row.value())
                for row in rows
            ]

    def transaction(self, body: Callable[[], Result]) -> Result:
        """Calls `body()` on this thread, and returns its result. What it writes takes effect together, or not at all if it
        raises."""
        outcome: list[Result] = []
        raised: list[BaseException] = []

        def run(_: object) -> int:
            try:
                outcome.append(body())
                return 0
            except BaseException as error:  # C cannot raise it: it is raised again below.
                raised.append(error)
                return 1

        try:
            call(library.transaction, self._handle, BODY(run), None)
        except Error:
            if not raised:
                raise
        if raised:
            raise raised[0]
        return outcome[0]

    def watch(self, *, group: str | None = None) -> Watch:
        """Starts a watch of a group, or of all groups of the app."""
        descriptor = c_int()
        call(library.watch, self._handle, *_name(group), byref(descriptor))
        return Watch(descriptor.value)

    @property
    def groups(self) -> list[Group]:
        """The app's access groups."""
        with _rows(library.groups, self._handle) as rows:
            return [Group(row.text(3) or "", row.number(5) == 1) for row in rows]

    @property
    def enforcement(self) -> Enforcement:
        """What keeps other programs of the same user from the app's groups."""
        result = c_int32()
        call(library.enforcement, self._handle, byref(result))
        return Enforcement(result.value)

    @property
    def receipt_buyer(self) -> str:
        """What the vendor's shop needs with an order."""
        with _value(library.receipt_buyer, self._handle) as buyer:
            return buyer.text()

    def redeem(self, receipt: str, service: str, account: str, *, group: str | None = None) -> None:
        """Stores a receipt of the shop as the value of an item, whose account is the product."""
        call(library.redeem, self._handle, *_name(receipt), *_names(service, account, group))

    def has_receipt(self, service: str, account: str, *, group: str | None = None) -> bool:
        """Whether an item holds a receipt that counts now."""
        result = c_int()
        call(library.receipt, self._handle, *_names(service, account, group), byref(result))
        return result.value == 1

    @property
    def is_locked(self) -> bool:
        return bool(library.is_locked(self._handle) == 1)

    def unlock(self, passphrase: Bytes | None = None) -> None:
        """Unlocks the vault of an app that was registered with --locked; None takes the keys of the agent."""
        if passphrase is None:
            return call(library.unlock, self._handle, None, 0)
        view = memoryview(passphrase)
        with _buffer(view) as memory:
            call(library.unlock, self._handle, memory, view.nbytes)

    def lock(self) -> None:
        library.lock(self._handle)


def open(plist: bytes | None = None) -> Vault:
    """Opens the user's vault as the app of an entitlements plist.

    Give one: without it, the library looks for the plist of the interpreter's file.
    """
    handle = c_void_p()
    call(library.open, plist, 0 if plist is None else len(plist), byref(handle))
    return Vault(handle.value or 0)


class _Row:
    def __init__(self, rows: c_void_p, index: int) -> None:
        self._rows, self._index = rows, index

    def text(self, field: int) -> str | None:
        count = c_size_t()
        start = library.list_text(self._rows, self._index, field, byref(count))
        return None if start is None else ctypes.string_at(start, count.value).decode()

    def number(self, field: int) -> int:
        return int(library.list_number(self._rows, self._index, field))

    def time(self, field: int) -> datetime.datetime:
        start = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
        microseconds = self.number(field)
        try:
            return start + datetime.timedelta(microseconds=microseconds)
        except OverflowError:  # The author of a record can state any time.
            limit = datetime.datetime.min if microseconds < 0 else datetime.datetime.max
            return limit.replace(tzinfo=datetime.timezone.utc)

    def value(self) -> Secret:
        return _value(library.list_value, self._rows, self._index)


@contextlib.contextmanager
def _rows(function: Any, *arguments: Any) -> Iterator[list[_Row]]:
    rows = c_void_p()
    call(function, *arguments, byref(rows))
    try:
        yield [_Row(rows, index) for index in range(library.list_count(rows))]
    finally:
        library.list_free(rows)


@contextlib.contextmanager
def _buffer(view: memoryview) -> Iterator[Any]:
    """The bytes of an argument for C: where they are if they can be changed, and a wiped copy otherwise."""
    if not view.c_contiguous:
        raise ValueError("the bytes must be contiguous")
    kind = ctypes.c_uint8 * view.nbytes
    memory = kind.from_buffer_copy(view) if view.readonly else kind.from_buffer(view)
    try:
        yield memory
    finally:
        if view.readonly:
            ctypes.memset(memory, 0, view.nbytes)


def _value(function: Any, *arguments: Any) -> Secret:
    start, count = c_void_p(), c_size_t()
    call(function, *arguments, byref(start), byref(count))
    return Secret(start.value, count.value)


def _name(text: str | None) -> tuple[bytes | None, int]:
    encoded = None if text is None else text.encode()
    return encoded, 0 if encoded is None else len(encoded)


def _names(*names: str | None) -> list[Any]:
    return [part for name in names for part in _name(name)]
