"""The functions of coffer.h, and their errors."""

from __future__ import annotations

import ctypes
import enum
from ctypes import POINTER, c_char_p, c_int, c_int32, c_int64, c_size_t, c_uint8, c_uint32, c_void_p
from typing import Any


class Status(enum.IntEnum):
    """The kinds of error, as in coffer.h."""

    UNKNOWN = -1
    ITEM_NOT_FOUND = 1
    DUPLICATE_ITEM = 2
    ITEM_CHANGED = 3
    NO_VAULT = 4
    VAULT_EXISTS = 5
    NOT_ENTITLED = 6
    LOCKED = 7
    AUTHENTICATION_FAILED = 8
    AUTHENTICATION_CANCELLED = 9
    CANCELLED = 10
    INVALID_ARGUMENT = 11
    INTEGRITY = 12
    UPGRADE_NEEDED = 13
    NETWORK = 14
    BUSY = 15
    DISK_FULL = 16
    READ_ONLY = 17
    IO = 18

    @classmethod
    def _missing_(cls, value: object) -> Status:
        return cls.UNKNOWN


class Error(Exception):
    """A failed call: its status, what happened, and what to do about it, or None."""

    def __init__(self, status: Status, message: str, suggestion: str | None) -> None:
        super().__init__(message if suggestion is None else f"{message}; {suggestion}")
        self.status = status
        self.message = message
        self.suggestion = suggestion


class NotFoundError(Error, KeyError):
    """No group of the search has the item."""

    __str__ = Exception.__str__


class NotEntitledError(Error, PermissionError):
    """The app, its plist or its credential do not allow the call."""

    __str__ = Exception.__str__


class LockedError(Error):
    """The vault or the item is locked, and nobody can be asked."""


_KINDS = {
    Status.ITEM_NOT_FOUND: NotFoundError, Status.NOT_ENTITLED: NotEntitledError, Status.LOCKED: LockedError,
}

BODY = ctypes.CFUNCTYPE(c_int, c_void_p)
_NAME = (c_char_p, c_size_t)
_ITEM = _NAME * 3
_VALUE = (POINTER(c_void_p), POINTER(c_size_t))

# The arguments of the functions that return a status, without the error, which is the last one of each.
_CALLS: dict[str, tuple[Any, ...]] = {
    "open": (*_NAME, POINTER(c_void_p)),
    "find": (c_void_p, *_ITEM, POINTER(c_void_p)),
    "read": (c_void_p, *_ITEM, *_VALUE),
    "write": (c_void_p, *_ITEM, *_NAME, c_void_p, c_size_t),
    "delete": (c_void_p, *_ITEM),
    "transaction": (c_void_p, BODY, c_void_p),
    "versions": (c_void_p, *_ITEM, POINTER(c_void_p)),
    "watch": (c_void_p, *_NAME, POINTER(c_int)),
    "groups": (c_void_p, POINTER(c_void_p)),
    "enforcement": (c_void_p, POINTER(c_int32)),
    "receipt_buyer": (c_void_p, *_VALUE),
    "redeem": (c_void_p, *_NAME, *_ITEM),
    "receipt": (c_void_p, *_ITEM, POINTER(c_int)),
    "unlock": (c_void_p, c_void_p, c_size_t),
    "list_value": (c_void_p, c_size_t, *_VALUE),
}
_OTHERS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "abi_version": (c_uint32, ()),
    "close": (None, (c_void_p,)),
    "is_locked": (c_int, (c_void_p,)),
    "lock": (None, (c_void_p,)),
    "list_count": (c_size_t, (c_void_p,)),
    "list_damaged": (c_size_t, (c_void_p,)),
    "list_text": (c_void_p, (c_void_p, c_size_t, c_int32, POINTER(c_size_t))),
    "list_number": (c_int64, (c_void_p, c_size_t, c_int32)),
    "list_free": (None, (c_void_p,)),
    "value_free": (None, (c_void_p, c_size_t)),
    "error_message": (c_char_p, (c_void_p,)),
    "error_suggestion": (c_char_p, (c_void_p,)),
    "error_free": (None, (c_void_p,)),
}


def _load() -> ctypes.CDLL:
    library = ctypes.CDLL("libcoffer.so.0")
    for name, arguments in _CALLS.items():
        _OTHERS[name] = (c_int32, (*arguments, POINTER(c_void_p)))
    for name, (result, arguments) in _OTHERS.items():
        function = library["coffer_" + name]
        function.restype, function.argtypes = result, arguments
        setattr(library, name, function)
    return library


library: Any = _load()
if library.abi_version() != 0:
    raise ImportError("libcoffer.so.0 has another interface than this package")


def call(function: Any, *arguments: Any) -> None:
    """Calls a function that returns a status, and raises its error."""
    error = c_void_p()
    status = function(*arguments, ctypes.byref(error))
    if status == 0:
        return
    try:
        message = (library.error_message(error) or b"unknown error").decode()
        suggestion = library.error_suggestion(error)
    finally:
        library.error_free(error)
    kind = Status(status)
    raise _KINDS.get(kind, Error)(kind, message, None if suggestion is None else suggestion.decode())
