#if os(Linux)
  import CofferTestSupport
  import Foundation
  import Testing

  /// The switch from another Secret Service to Coffer, as the pages describe it.
  @Suite struct SwitchTests {
    private let desktop: IdentityDesktop

    init() throws { desktop = try IdentityDesktop(isInstalled: false) }

    /// Starts gnome-keyring with two passwords, and returns it when it has them.
    private func startKeyring() throws -> RunningProgram {
      let keyring = try desktop.machine.start(
        "/usr/bin/gnome-keyring-daemon", ["--foreground", "--unlock", "--components=secrets"],
        input: Data("keyring".utf8))
      try waitUntil("gnome-keyring answers") {
        let status = try? desktop.machine.coffer("secret-service", "status")
        return status?.contains("gnome-keyring, process") == true || !keyring.isRunning
      }
      try store("s3cret", label: "GitHub", "service", "github.com", "username", "jane", "extra", "é x")
      try store("other", label: "Only a label", "kind", "test")
      return keyring
    }

    private func store(_ secret: String, label: String, _ attributes: String...) throws {
      let outcome = try desktop.run(["/usr/bin/secret-tool", "store", "--label=\(label)"] + attributes, input: secret)
      try #require(outcome.exitCode == 0, "\(outcome)")
    }

    private func lookUp(_ attributes: String...) throws -> String {
      try desktop.run(["/usr/bin/secret-tool", "lookup"] + attributes).text
    }

    @Test func `After the documented switch, programs find what gnome-keyring had, and install says so`() throws {
      let keyring = try startKeyring()
      // In a home without a vault.
      let imported = try desktop.machine.coffer("import", "secret-service")
      #expect(imported.contains("2 entries: 2 items were imported"), "\(imported)")
      keyring.kill()
      _ = try keyring.wait()
      let installed = try desktop.machine.coffer("secret-service", "install")
      #expect(installed.contains("was looked up through the new service"), "\(installed)")
      #expect(try lookUp("service", "github.com", "username", "jane") == "s3cret")
      #expect(try lookUp("extra", "é x") == "s3cret")
      #expect(try lookUp("kind", "test") == "other")
      #expect(try !desktop.machine.coffer("list").contains(":details"))
    }

    /// Runs a script with Python's D-Bus, in which `bus` is the session bus and `secrets` the interface of the service.
    private func python(_ script: String) throws -> String {
      let outcome = try desktop.run([
        "/usr/bin/python3", "-c",
        """
        import dbus
        bus = dbus.SessionBus()
        root = bus.get_object("org.freedesktop.secrets", "/org/freedesktop/secrets")
        secrets = dbus.Interface(root, "org.freedesktop.Secret.Service")
        _, session = secrets.OpenSession("plain", dbus.String("", variant_level=1))
        \(script)
        """,
      ])
      try #require(outcome.exitCode == 0, "\(outcome)")
      return outcome.text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test func `A collection of gnome-keyring keeps its path and its items`() throws {
      let keyring = try startKeyring()
      _ = try python(
        """
        own = dbus.Interface(root, "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface")
        label = {"org.freedesktop.Secret.Collection.Label": dbus.String("awsvault", variant_level=1)}
        def secret(text):
            parts = [session, dbus.ByteArray(b""), dbus.ByteArray(text), "text/plain"]
            return dbus.Struct(parts, signature="oayays")
        path = own.CreateWithMasterPassword(label, secret(b"password"))
        item = {
            "org.freedesktop.Secret.Item.Label": dbus.String("key", variant_level=1),
            "org.freedesktop.Secret.Item.Attributes":
                dbus.Dictionary({"profile": "work"}, signature="ss", variant_level=1),
        }
        collection = bus.get_object("org.freedesktop.secrets", path)
        dbus.Interface(collection, "org.freedesktop.Secret.Collection").CreateItem(item, secret(b"AKIA"), True)
        """)
      try desktop.machine.coffer("import", "secret-service")
      keyring.kill()
      _ = try keyring.wait()
      try desktop.machine.coffer("secret-service", "install")
      let found = try python(
        """
        path = "/org/freedesktop/secrets/collection/awsvault"
        get = lambda name: bus.get_object("org.freedesktop.secrets", path).Get(
            "org.freedesktop.Secret.Collection", name, dbus_interface="org.freedesktop.DBus.Properties")
        paths = get("Items")
        print(get("Label"), len(paths), bytes(secrets.GetSecrets(paths, session)[paths[0]][2]).decode())
        """)
      #expect(found == "awsvault 1 AKIA")
      #expect(try lookUp("service", "github.com", "username", "jane") == "s3cret")
    }

    @Test func `The group of the desktop's programs can be named before anything is in it`() throws {
      let keyring = try startKeyring()
      defer { keyring.kill() }
      try desktop.machine.coffer("import", "secret-service", "--group", "coffer.desktop", "--dry-run")
      try desktop.machine.coffer("import", "secret-service", "--group", "coffer.desktop")
      #expect(try desktop.machine.coffer("list", "--group", "coffer.desktop").contains("github.com"))
    }

    @Test func `What an earlier version has imported moves when the service is installed`() throws {
      try desktop.machine.coffer("set", "mine", input: "kept")
      // It wrote to the owner's own group, with the attributes in an item of their own.
      let record = Data(#"{"attributes":{"service":"github.com","username":"jane"}}"#.utf8).base64EncodedString()
      let origin = #"imported from: secret-service\nentry: GitHub"#
      let file = try desktop.machine.directory.write(
        "earlier.json",
        """
        {"format": "coffer-export", "version": 1, "items": [
          {"class": "generic-password", "value": "s3cret", "attributes":
            {"svce": "github.com", "acct": "jane", "gena": {"base64": "\(record)"}, "icmt": "\(origin)"}},
          {"class": "generic-password", "value": "{}", "attributes":
            {"svce": "github.com:details", "acct": "jane", "icmt": "\(origin)\\npart: details"}}
        ]}
        """)
      try desktop.machine.coffer("import", "json", file)
      let installed = try desktop.machine.coffer("secret-service", "install")
      #expect(installed.contains("Moved 1 item that was imported before to coffer.desktop"), "\(installed)")
      #expect(installed.contains("was looked up through the new service"), "\(installed)")
      #expect(try lookUp("service", "github.com", "username", "jane") == "s3cret")
      let left = try desktop.machine.coffer("list", "--group", "coffer.personal")
      #expect(left.contains("mine") && !left.contains("github.com"), "\(left)")
      // Nothing is left to move.
      #expect(try !desktop.machine.coffer("secret-service", "install").contains("Moved"))
    }

    @Test func `Coffer does not import from itself`() throws {
      try desktop.machine.coffer("secret-service", "install")
      try store("s3cret", label: "Own", "kind", "test")
      let outcome = try desktop.machine.run("coffer", "import", "secret-service")
      #expect(outcome.exitCode == 2 && outcome.errors.contains("Coffer itself is the Secret Service"), "\(outcome)")
      let labels = try desktop.machine.coffer("list", "--json").components(separatedBy: #""label" : "Own""#)
      #expect(labels.count == 2)
    }
  }
#endif
