#if os(Linux)
  import CofferTestSupport
  import Foundation
  import Testing

  /// Programs of a user who is not root, from which the kernel keeps what root sees.
  @Suite struct IdentityUserTests {
    private static let wrapper = [
      "/usr/bin/setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--",
    ]

    /// Whether this process is root, and another user can run the programs under test.
    private static let canBeUser =
      geteuid() == 0 && IdentityDesktop.hasSandboxes
      && (try? Command.run(arguments: wrapper + [Machine.path(of: "coffer"), "--version"])) != nil
      && (try? Command.run("/usr/bin/python3", "-c", "import dbus")) != nil

    private let desktop: IdentityDesktop

    init() throws {
      desktop = try IdentityDesktop(wrapper: Self.wrapper, owner: "65534")
      try desktop.machine.makeVault()
      try desktop.machine.coffer("app", "add", "--desktop", "org.example.App")
    }

    /// Calls the service from Python after some preparation, and returns the collection's name or the error's text.
    private func ask(after preparation: String, inThread: Bool = false) throws -> String {
      let script = """
        import ctypes, os, threading, dbus
        libc = ctypes.CDLL(None)
        \(preparation)
        def ask():
            service = dbus.SessionBus().get_object("org.freedesktop.secrets", "/org/freedesktop/secrets", introspect=False)
            try: print(service.ReadAlias("default", dbus_interface="org.freedesktop.Secret.Service"), flush=True)
            except dbus.DBusException as error: print(error, flush=True)
            os._exit(0)
        def wait():
            while open(f"/proc/{os.getpid()}/stat").read().rsplit(")", 1)[1].split()[0] != "Z": pass
            ask()
        \(inThread ? "threading.Thread(target=wait).start(); libc.pthread_exit(None)" : "ask()")
        """
      return try desktop.run(["/usr/bin/python3", "-c", script]).text
    }

    @Test(.enabled(if: canBeUser))
    func `A program that hides its root is refused if it could be in a sandbox, and is one of the others if not`()
      throws
    {
      // PR_SET_DUMPABLE, and PR_SET_NO_NEW_PRIVS.
      #expect(try ask(after: "libc.prctl(4, 0, 0, 0, 0)").hasSuffix("/coffer_2edesktop"))
      let hidden = try ask(after: "libc.prctl(38, 1, 0, 0, 0); libc.prctl(4, 0, 0, 0, 0)")
      #expect(hidden.contains("AccessDenied") && hidden.contains("whether it is in a sandbox"), "\(hidden)")
      let ended = try ask(after: "libc.prctl(38, 1, 0, 0, 0)", inThread: true)
      #expect(ended.contains("AccessDenied") && ended.contains("whether it is in a sandbox"), "\(ended)")
    }

    @Test(.enabled(if: canBeUser))
    func `Whoever builds the sandbox of a Flatpak in a user namespace gets its collection: it is advisory`() throws {
      var wrapper = try desktop.sandbox("org.example.App")
      wrapper.insert("--unshare-user", at: 1)
      #expect(try desktop.collection(wrapper) == "desktop.flatpak.org.example.App")
    }

    @Test(.enabled(if: canBeUser))
    func `A setgid program is known by its group, and not in a user namespace or if its group has no app`() throws {
      try desktop.machine.coffer("app", "add", "--desktop", "games", "--system-group")
      func program(_ group: String) throws -> String {
        let path = desktop.machine.directory.path("setgid-\(group)")
        try Command.run(
          "sh", "-c", "cp /usr/bin/dbus-send \"$1\" && chgrp \"$2\" \"$1\" && chmod 2755 \"$1\"", "sh", path, group)
        return path
      }
      let games = try program("games")
      #expect(try desktop.collection(as: games) == "desktop.group.games")
      #expect(try desktop.collection(as: program("mail")) == "coffer.desktop")
      let folder = desktop.machine.directory.path
      let namespace = [
        "/usr/bin/bwrap", "--unshare-user", "--ro-bind", "/usr", "/usr", "--symlink", "usr/lib", "/lib", "--symlink",
        "usr/lib64", "/lib64", "--dev-bind", "/dev", "/dev", "--bind", folder, folder, "--",
      ]
      #expect(try desktop.collection(namespace, as: games) == "coffer.desktop")
    }

    @Test(.enabled(if: canBeUser)) func `An instance takes the place of another one, which does not show its path`()
      throws
    {
      #expect(try desktop.collection() == "coffer.desktop")
      let script = """
        owner() {
          dbus-send --bus="$DBUS_SESSION_BUS_ADDRESS" --print-reply=literal --dest=org.freedesktop.DBus / \
            org.freedesktop.DBus.GetConnectionUnixProcessID string:org.freedesktop.secrets 2>/dev/null | awk '{ print $2 }'
        }
        first=$(owner)
        "$SERVICE" --replace 2>"$HOME/errors" &
        kill -0 "${first:?}" && while kill -0 "$first" 2>/dev/null; do sleep 0.02; done
        until [ "$(owner)" = $! ]; do kill -0 $! || break; sleep 0.02; done
        cat "$HOME/errors" && kill $!
        """
      let outcome = try desktop.run(
        ["/bin/sh", "-c", script], environment: ["SERVICE": Machine.path(of: "coffer-secret-service")])
      #expect(outcome.exitCode == 0 && outcome.text.isEmpty && outcome.errors.isEmpty, "\(outcome)")
    }
  }
#endif
