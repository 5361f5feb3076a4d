#!/usr/bin/env python3
"""A print program with a window. It reads the purchase that PhotoPro has written, and shows a later one at once.

It needs GTK 3 (python3-gi, gir1.2-gtk-3.0) and the package coffer. --text prints what the window would show.
"""

import pathlib
import sys

import coffer

PLIST = pathlib.Path(__file__).with_name("PhotoPrint.entitlements")
PURCHASES = "com.example.photo.purchases"


def state(vault: coffer.Vault) -> str:
    is_bought = vault.has_receipt("store.example.com", "photo-pro", group=PURCHASES)
    return "prints in all sizes" if is_bought else "prints postcards"


def show(vault: coffer.Vault) -> None:
    import gi

    gi.require_version("Gtk", "3.0")
    from gi.repository import GLib, Gtk

    window = Gtk.Window()
    label = Gtk.Label(margin=48)
    window.add(label)
    window.connect("destroy", Gtk.main_quit)

    def update() -> None:
        label.set_text(state(vault))
        window.set_title(f"Photo Print: {label.get_text()}")

    def change(*_: object) -> bool:
        is_open = watch.clear()
        if is_open:
            update()
        return is_open

    # The vault is used on GTK's thread only: the descriptor wakes its loop.
    with vault.watch(group=PURCHASES) as watch:
        GLib.io_add_watch(watch.fileno(), GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, change)
        update()
        window.show_all()
        Gtk.main()


def main() -> int:
    try:
        with coffer.open(PLIST.read_bytes()) as vault:
            if sys.argv[1:] == ["--text"]:
                print(state(vault))
            else:
                show(vault)
    except coffer.Error as error:
        print(f"photo_print: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
