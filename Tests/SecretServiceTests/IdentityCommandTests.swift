#if os(Linux)
  import CofferTestSupport
  import Foundation
  import Testing

  /// `coffer app add --desktop`, and what other commands say of such apps.
  @Suite struct IdentityCommandTests {
    private struct App: Decodable {
      struct Desktop: Decodable, Equatable {
        let kind: String
        let name: String?
        let strength: String
      }

      let bundleID: String
      let desktop: Desktop?
    }

    private let machine: Machine

    init() throws {
      machine = try Machine()
      try machine.makeVault()
    }

    private func apps() throws -> [String: App.Desktop?] {
      let list = try JSONDecoder().decode([App].self, from: Data(machine.coffer("app", "list", "--json").utf8))
      return Dictionary(uniqueKeysWithValues: list.map { ($0.bundleID, $0.desktop) })
    }

    @Test func `A name is that of a Flatpak, a snap or a group by its form, or as an option says`() throws {
      try machine.coffer("app", "add", "--desktop", "org.example.App")
      try machine.coffer("app", "add", "--desktop", "firefox")
      try machine.coffer("app", "add", "--desktop", "games")
      try machine.coffer("app", "add", "--desktop", "games", "--snap")
      try machine.register("PhotoPro")
      let found = try apps()
      #expect(
        found["desktop.flatpak.org.example.App"]
          == .init(kind: "flatpak", name: "org.example.App", strength: "advisory"))
      #expect(found["desktop.snap.firefox"] == .init(kind: "snap", name: "firefox", strength: "advisory"))
      #expect(found["desktop.group.games"] == .init(kind: "group", name: "games", strength: "medium"))
      #expect(found["desktop.snap.games"] == .init(kind: "snap", name: "games", strength: "advisory"))
      #expect(found["com.example.photo.pro"] == .some(nil))
      try machine.coffer("app", "remove", "desktop.snap.games", "--yes")
      #expect(try apps()["desktop.snap.games"] == nil)
    }

    @Test func `Further groups are read and written, or only read, and losing one is asked for`() throws {
      let added = try machine.coffer(
        "app", "add", "--desktop", "org.example.App", "--group", "com.example.mail", "--group", "group.com.example.all",
        "--read-only-group", "com.example.read")
      let lines = added.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      #expect(lines[1].hasSuffix(".desktop.flatpak.org.example.App  (default)"), "\(added)")
      #expect(lines[2].hasSuffix(".com.example.mail") && lines[3] == "group.com.example.all", "\(added)")
      #expect(lines[4].hasSuffix(".com.example.read  (read only)"), "\(added)")
      let less = try machine.run("coffer", "app", "add", "--desktop", "org.example.App")
      #expect(less.exitCode != 0 && less.errors.contains("com.example.mail"), "\(less)")
    }

    @Test(
      arguments: [
        ["--desktop", "firefox", "--flatpak"], ["--desktop", "a\"b"], ["--desktop", "Firefox"], ["--desktop", ""],
        ["--desktop", "org.a..B"], ["--desktop", "org.a.B</string>"], ["--desktop", "root"],
        ["--desktop", "org.a.B", "--group", "</string><string>x"],
        ["--desktop", "org.a.B", "--read-only-group", "a b"],
        ["--desktop", "org.a.B", "--snap"], ["--desktop", "org.a.B", "--snap", "--flatpak"], ["--flatpak"],
        ["--group", "x"], ["--desktop", "org.a.B", "--bundle-id", "x.y"], [],
      ])
    func `What names no program, or more than a group, is refused, and nothing is registered`(_ arguments: [String])
      throws
    {
      let outcome = try machine.start("coffer", ["app", "add"] + arguments).wait()
      #expect(outcome.exitCode == 2, "\(outcome)")
      #expect(try apps().isEmpty)
    }

    @Test func `The explanation says what tells the program apart, and how strong that is`() throws {
      try machine.coffer("app", "add", "--desktop", "org.example.App")
      let name = "desktop.flatpak.org.example.App"
      for text in [try machine.coffer("why", name, name), try machine.coffer("app", "show", name)] {
        #expect(
          text.contains("advisory: a Flatpak's name is told by a file that a program outside of a sandbox can forge"),
          "\(text)")
      }
      #expect(
        try machine.coffer("doctor").contains("Seal it under this machine's passphrase with: coffer passphrase set"))
    }

    @Test(.enabled(if: PrivateSystem.isAvailable))
    func `A group that a user has joined tells nobody apart, which add and doctor say`() throws {
      let system = try PrivateSystem()
      try system.addUser("jane")
      try system.addUser("joe")
      try system.succeed(["groupadd", "--system", "helper"])
      let coffer = "/usr/local/bin/coffer"
      try system.succeed(
        [coffer, "init", "--name", "m", "--no-passphrase", "--vault-key-file", "/home/jane/key"], as: "jane")
      try system.succeed([coffer, "app", "add", "--desktop", "helper"], as: "jane")
      #expect(!(try system.run([coffer, "doctor"], as: "jane").text.contains("the group helper tells")))
      try system.succeed(["gpasswd", "--add", "joe", "helper"])
      let found = try system.run([coffer, "doctor"], as: "jane")
      #expect(
        found.text.contains("The group helper tells no program from others: users are members of it: joe."), "\(found)")
      let again = try system.run([coffer, "app", "add", "--desktop", "helper", "--system-group"], as: "jane")
      #expect(again.exitCode == 2 && again.errors.contains("sudo gpasswd --delete USER helper"), "\(again)")
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/secret-tool")))
    func `A vault that programs of the desktop have begun joins another one, with their collections`() throws {
      let remote = machine.directory.path("remote.git")
      try Command.run("git", "init", "--quiet", "--bare", remote)
      try machine.coffer("remote", "set", remote)
      try machine.coffer("sync")
      let desktop = try IdentityDesktop()
      #expect(
        try desktop.run(["/usr/bin/secret-tool", "store", "--label=own", "kind", "test"], input: "s3cret").exitCode == 0
      )
      try desktop.machine.coffer("app", "add", "--desktop", "org.example.App")
      let outcome = try desktop.machine.run(
        "coffer", "clone", "--yes", "--name", "desktop", "--no-passphrase", "--vault-key-file",
        machine.directory.path("vault-key"), remote)
      #expect(outcome.exitCode == 0 && outcome.text.contains("coffer.desktop"), "\(outcome)")
      #expect(try desktop.run(["/usr/bin/secret-tool", "lookup", "kind", "test"]).text == "s3cret")
      #expect(try desktop.machine.coffer("app", "list").contains("desktop.flatpak.org.example.App"))
    }
  }
#endif
