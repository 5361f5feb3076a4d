"""Vaults of Coffer, a keychain with access groups for Linux.

    import coffer

    with coffer.open(plist) as vault:
        vault.write("store.example.com", "photo-pro", b"receipt-4711", group="com.example.photo.purchases")
        value = vault.read("store.example.com", "photo-pro")

It calls the library libcoffer.so.0. The plist says which app the program is. Nothing keeps another program in Python
from saying the same: root can install a program with keys of its own, and a script is not one. `Vault.enforcement`
says what keeps others away.
"""

from coffer._library import Error, LockedError, NotEntitledError, NotFoundError, Status
from coffer._vault import Enforcement, Group, Item, Secret, Vault, Version, Watch, open

__all__ = [
    "Enforcement", "Error", "Group", "Item", "LockedError", "NotEntitledError", "NotFoundError", "Secret", "Status",
    "Vault", "Version", "Watch", "open",
]
