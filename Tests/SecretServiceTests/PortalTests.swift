#if os(Linux)
  import CofferTestSupport
  import Foundation
  import Testing

  /// The back end of the portal for secrets, over a real bus and with descriptors that cross it.
  @Suite struct PortalTests {
    private static let hasClient =
      FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")
      && (try? Command.run("/usr/bin/python3", "-c", "import dbus")) != nil
    private static let portal = "/usr/libexec/xdg-desktop-portal"

    /// Calls the back end for each application in the arguments, and prints the response and the secret. With a name in
    /// `OWN`, it owns that name first.
    private static let frontend = """
      import dbus, os, sys
      bus = dbus.SessionBus()
      if os.environ.get("OWN"): bus.request_name(os.environ["OWN"])
      back = dbus.Interface(
          bus.get_object("org.freedesktop.impl.portal.desktop.coffer", "/org/freedesktop/portal/desktop"),
          "org.freedesktop.impl.portal.Secret")
      for number, app in enumerate(sys.argv[1:]):
          ours, theirs = os.pipe()
          handle = dbus.ObjectPath(f"/org/freedesktop/portal/desktop/request/1_1/t{number}")
          try:
              response, results = back.RetrieveSecret(handle, app, dbus.types.UnixFd(theirs), dbus.Dictionary({}, signature="sv"), timeout=200)
          except dbus.DBusException as error:
              print(app, error.get_dbus_name()); continue
          os.close(theirs)
          secret = os.fdopen(ours, "rb").read()
          print(app, int(response), len(results), secret.hex())
      """

    private func retrieve(
      _ desktop: IdentityDesktop, _ applications: String..., owning name: String = "org.freedesktop.portal.Desktop"
    ) throws -> [[String]] {
      let outcome = try desktop.run(
        ["/usr/bin/python3", "-c", Self.frontend] + applications, environment: ["OWN": name])
      #expect(outcome.exitCode == 0, "\(outcome)")
      return outcome.text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    }

    @Test(.enabled(if: hasClient)) func `A Flatpak gets one secret of 64 bytes, and every other one another`() throws {
      let desktop = try IdentityDesktop()
      try desktop.machine.makeVault()
      try desktop.machine.coffer("app", "add", "--desktop", "org.example.A")
      try desktop.machine.coffer("app", "add", "--desktop", "org.example.B")
      let found = try retrieve(desktop, "org.example.A", "org.example.B", "org.example.A")
      #expect(found.allSatisfy { $0.count == 4 && $0[1] == "0" && $0[3].count == 128 }, "\(found)")
      #expect(found[0][3] == found[2][3] && found[0][3] != found[1][3])
      // It is in the vault, also after the service has ended.
      try desktop.machine.coffer("secret-service", "install")
      #expect(try retrieve(desktop, "org.example.A")[0] == found[0])
      let list = try desktop.machine.coffer("list", "--app", "desktop.flatpak.org.example.A")
      #expect(list.contains("Secret of org.example.A"), "\(list)")
    }

    @Test(.enabled(if: hasClient)) func `Only the owner of the portal's name gets secrets`() throws {
      let desktop = try IdentityDesktop()
      try desktop.machine.makeVault()
      try desktop.machine.coffer("app", "add", "--desktop", "org.example.A")
      for name in ["", "org.freedesktop.portal.Desktop.other", "org.example.Portal"] {
        let found = try retrieve(desktop, "org.example.A", owning: name)
        #expect(found == [["org.example.A", "org.freedesktop.DBus.Error.AccessDenied"]], "\(found)")
      }
      #expect(!(try desktop.machine.coffer("list", "--app", "desktop.flatpak.org.example.A")).contains("Secret of"))
    }

    @Test(.enabled(if: hasClient)) func `A program without an app gets no secret without a person, at once`() throws {
      let desktop = try IdentityDesktop()
      try desktop.machine.makeVault()
      let found = try retrieve(desktop, "org.example.Unknown", "notsandboxed")
      #expect(
        found[0].prefix(3) == ["org.example.Unknown", "1", "0"]
          || found[0].prefix(3) == ["org.example.Unknown", "2", "0"])
      #expect(
        found[0].count == 3 && found[1] == ["notsandboxed", "org.freedesktop.DBus.Error.AccessDenied"], "\(found)")
      #expect(!(try desktop.machine.coffer("app", "list")).contains("org.example"))
    }

    @Test(.enabled(if: hasClient)) func `A person gives a program its collection, or refuses it`() throws {
      for (answer, response) in [("echo OK", "0"), ("echo 'ERR 83886179 cancelled'", "1")] {
        let dialog = try PortalDialog(answer: answer)
        let desktop = try IdentityDesktop(environment: dialog.environment)
        try desktop.machine.makeVault()
        let found = try retrieve(desktop, "org.example.New", "org.example.New")
        #expect(found.map { $0[1] } == [response, response], "\(found)")
        #expect(try (desktop.machine.coffer("app", "list")).contains("org.example.New") == (response == "0"))
        // Who was refused is not asked for again.
        #expect(dialog.descriptions.count == 1 && dialog.descriptions[0].contains("Allow the Flatpak org.example.New"))
      }
    }

    @Test(.enabled(if: hasClient && IdentityDesktop.hasSandboxes && FileManager.default.fileExists(atPath: portal)))
    func `A sandboxed program gets its secret through the portal itself`() throws {
      let desktop = try IdentityDesktop()
      try desktop.machine.makeVault()
      try desktop.machine.coffer("app", "add", "--desktop", "org.example.App")
      let client = """
        import dbus, dbus.mainloop.glib, os, sys
        from gi.repository import GLib
        dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
        bus = dbus.SessionBus()
        loop = GLib.MainLoop()
        codes = []
        def answered(code, results):
            codes.append(int(code)); loop.quit()
        bus.add_signal_receiver(answered, "Response", "org.freedesktop.portal.Request")
        portal = dbus.Interface(
            bus.get_object("org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"), "org.freedesktop.portal.Secret")
        ours, theirs = os.pipe()
        portal.RetrieveSecret(dbus.types.UnixFd(theirs), dbus.Dictionary({}, signature="sv"))
        os.close(theirs)
        loop.run()
        print(codes, len(os.fdopen(ours, "rb").read()))
        """
      let portals = desktop.machine.directory.path("data/xdg-desktop-portal/portals")
      let front = try desktop.machine.start(
        Self.portal, ["--replace"], environment: ["XDG_DESKTOP_PORTAL_DIR": portals, "XDG_CURRENT_DESKTOP": "test"])
      defer { front.kill() }
      let outcome = try desktop.run(desktop.sandbox("org.example.App") + ["/usr/bin/python3", "-c", client])
      let errors = try front.errorsSoFar()
      #expect(outcome.exitCode == 0 && outcome.text == "[0] 64", "\(outcome), \(errors)")
    }
  }

  /// A dialog program that records what it shows, and answers a question with a line.
  private struct PortalDialog {
    private let folder: TemporaryDirectory

    init(answer: String) throws {
      folder = try TemporaryDirectory()
      let script = """
        #!/bin/sh
        echo "OK ready"
        while read -r line; do
          printf '%s\\n' "$line" >> '\(folder.path("shown"))'
          case $line in
            CONFIRM) \(answer) ;;
            'GETINFO flavor') echo 'D gtk2'; echo OK ;;
            *) echo OK ;;
          esac
        done
        """
      try Command.run(
        "sh", "-c", "printf '%s' \"$1\" > \"$2\" && chmod 700 \"$2\"", "sh", script, folder.path("pinentry"))
    }

    /// The environment of a service on a desktop with this dialog.
    var environment: [String: String] { ["DISPLAY": ":99", "COFFER_TEST_PINENTRY": folder.path("pinentry")] }

    var descriptions: [String] {
      let text = (try? String(contentsOfFile: folder.path("shown"), encoding: .utf8)) ?? ""
      return text.split(separator: "\n").filter { $0.hasPrefix("SETDESC ") }.map {
        String($0).replacing("%20", with: " ")
      }
    }
  }
#endif
