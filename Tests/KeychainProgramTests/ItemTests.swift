import CofferTestSupport
import Foundation
import Testing

@Suite struct ItemTests {
  private let machine: Machine
  private let notes: InstalledApp

  init() throws {
    machine = try Machine()
    try machine.makeVault()
    notes = try InstalledApp("notes", on: machine)
  }

  @Test func `An item added by one process is returned, updated, listed and deleted by others`() throws {
    #expect(try notes.succeed("list") == "")
    try notes.succeed("add", "jane", input: "first")
    try notes.succeed("--service", "other", "add", "jane", input: "another service's")
    #expect(try notes.succeed("get", "jane") == "first")
    try notes.succeed("update", "jane", input: "second")
    #expect(try notes.succeed("get", "jane") == "second")
    #expect(try notes.succeed("--service", "other", "get", "jane") == "another service's")
    let group = try machine.group("notes")
    #expect(try notes.succeed("list") == "\(group) other jane\n\(group) service jane")
    #expect(try notes.succeed("--service", "other", "list") == "\(group) other jane")
    try notes.succeed("delete", "jane")
    #expect(try notes.succeed("list") == "\(group) other jane")
  }

  @Test func `A value is any bytes, including none`() throws {
    let bytes = Data(0...255)
    let added = try machine.start(notes.program, ["add", "bytes"], input: bytes).wait()
    #expect(added.exitCode == 0, "\(added)")
    #expect(try machine.run(notes.program, "get", "bytes").output == bytes + Data("\n".utf8))
    try notes.succeed("add", "nothing")
    #expect(try machine.run(notes.program, "get", "nothing").output == Data("\n".utf8))
  }

  @Test func `The program coffer and the app see each other's items`() throws {
    let app = ["--app", notes.bundleID]
    try notes.succeed("--label", "Jane's", "add", "jane", input: "from the app")
    #expect(try machine.succeed("coffer", ["get", "service", "jane"] + app) == "from the app")
    let list = try machine.succeed("coffer", ["list", "--json"] + app)
    let rows = try JSONSerialization.jsonObject(with: Data(list.utf8)) as? [[String: Any]]
    #expect(rows?.count == 1 && rows?.first?["label"] as? String == "Jane's", "\(list)")
    #expect(rows?.first?["writerApp"] as? String == (try machine.group("notes")), "\(list)")

    try machine.succeed("coffer", ["set", "service", "jane"] + app, input: "from coffer")
    try machine.succeed("coffer", ["set", "service", "john"] + app, input: "also from coffer")
    #expect(try notes.succeed("get", "jane", "john") == "from coffer\nalso from coffer")
    expectFailure(try notes.run("add", "john", input: "twin"), Status.duplicateItem, of: "SecItemAdd")
    try notes.succeed("update", "john", input: "from the app")
    #expect(try machine.succeed("coffer", ["get", "service", "john"] + app) == "from the app")
    try notes.succeed("delete", "jane")
    #expect(try machine.start("coffer", ["get", "service", "jane"] + app).wait().exitCode == 3)
    try machine.succeed("coffer", ["delete", "service", "john"] + app)
    expectFailure(try notes.run("get", "john"), Status.itemNotFound)
  }

  @Test func `A duplicate is refused, and the existing item is unchanged`() throws {
    try notes.succeed("add", "jane", input: "first")
    expectFailure(try notes.run("add", "jane", input: "second"), Status.duplicateItem, of: "SecItemAdd")
    #expect(try notes.succeed("get", "jane") == "first")
  }

  @Test func `An item with kSecAttrSynchronizable is distinct from the same item without it`() throws {
    try notes.succeed("add", "jane", input: "here")
    try notes.succeed("--synchronizable", "add", "jane", input: "everywhere")
    #expect(try notes.succeed("get", "jane") == "here")
    #expect(try notes.succeed("--synchronizable", "get", "jane") == "everywhere")
    try notes.succeed("delete", "jane")
    expectFailure(try notes.run("get", "jane"), Status.itemNotFound)
    #expect(try notes.succeed("--synchronizable", "get", "jane") == "everywhere")
  }

  @Test func `A missing item is errSecItemNotFound for every call that needs it`() throws {
    expectFailure(try notes.run("get", "jane"), Status.itemNotFound)
    expectFailure(try notes.run("update", "jane", input: "x"), Status.itemNotFound, of: "SecItemUpdate")
    expectFailure(try notes.run("delete", "jane"), Status.itemNotFound, of: "SecItemDelete")
  }

  @Test func `A program next to an Info.plist has its bundle identifier, and one without has none`() throws {
    #expect(try notes.succeed("bundle") == "none")
    try machine.directory.write(
      "Info.plist",
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.notes</string></dict></plist>
      """)
    #expect(try notes.succeed("bundle") == "com.example.notes")
  }
}

@Suite struct EntitlementsPlistTests {
  private func plist(_ machine: Machine, _ name: String, _ keys: String) throws -> String {
    try machine.directory.write(
      "\(name).entitlements",
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict>\(keys)
      <key>keychain-access-groups</key><array><string>$(AppIdentifierPrefix)com.example.\(name)</string></array>
      </dict></plist>
      """)
  }

  @Test func `A plist that does not name the app, as Xcode writes it, uses the name in an Info.plist`() throws {
    let machine = try Machine()
    try machine.makeVault()
    let app = try InstalledApp("notes", on: machine, isRegistered: false)
    let file = try plist(machine, "notes", "")
    try machine.succeed("coffer", ["app", "add", "--bundle-id", "com.example.notes", file])
    expectFailure(try app.run("list"), Status.missingEntitlement, "Info.plist")
    try machine.directory.write(
      "Info.plist",
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.notes</string></dict></plist>
      """)
    try app.succeed("add", "jane", input: "v")
    #expect(try app.succeed("get", "jane") == "v")
  }

  @Test func `The plist that macOS signs names the app by a longer key`() throws {
    let machine = try Machine()
    try machine.makeVault()
    let app = try InstalledApp("notes", on: machine, isRegistered: false)
    let key = "<key>com.apple.application-identifier</key><string>ABCDE12345.com.example.notes</string>"
    try machine.succeed("coffer", ["app", "add", "--source-prefix", "ABCDE12345", try plist(machine, "notes", key)])
    try app.succeed("add", "jane", input: "v")
  }

  @Test func `For a group with another team's prefix the error names the missing registration`() throws {
    let machine = try Machine()
    try machine.makeVault()
    let app = try InstalledApp("notes", on: machine)
    let group = "ABCDE12345.com.example.notes"
    let outcome = try app.run("--group", group, "list")
    expectFailure(outcome, Status.missingEntitlement, "--source-prefix ABCDE12345")
    try machine.succeed(
      "coffer", ["app", "add", "--source-prefix", "ABCDE12345", machine.directory.path("notes.entitlements")])
    #expect(try app.succeed("--group", group, "list") == "")
  }
}

@Suite struct MissingSetUpTests {
  @Test func `Without a location for the vault the keychain is not available, and no argument is wrong`() throws {
    let machine = try Machine()
    try machine.makeVault()
    let app = try InstalledApp("notes", on: machine)
    expectFailure(try app.run("list", environment: ["COFFER_HOME": "relative"]), Status.notAvailable, "COFFER_HOME")
  }

  @Test
  func `Without entitlements every call fails as on Apple's systems, and the error says where to put them`() throws {
    let machine = try Machine()
    try machine.makeVault()
    for (arguments, call) in [
      (["add", "a"], "SecItemAdd"), (["get", "a"], "SecItemCopyMatching"), (["list"], "SecItemCopyMatching"),
      (["update", "a"], "SecItemUpdate"), (["delete", "a"], "SecItemDelete"),
    ] {
      let outcome = try machine.start("KeychainProgram", arguments, input: Data("canary-value".utf8)).wait()
      expectFailure(
        outcome, Status.missingEntitlement, of: call, "COFFER_ENTITLEMENTS",
        Machine.path(of: "KeychainProgram.entitlements"))
      #expect(!outcome.errors.contains("canary"))
    }
  }

  @Test func `Without a vault there is no keychain, and the error says how to create one`() throws {
    let machine = try Machine()
    let notes = try InstalledApp("notes", on: machine, isRegistered: false)
    expectFailure(
      try notes.run("add", "a", input: "v"), Status.notAvailable, of: "SecItemAdd", machine.vault.path, "coffer init")
    expectFailure(try notes.run("get", "a"), Status.notAvailable, "coffer init")
    #expect(!FileManager.default.fileExists(atPath: machine.home.path))
  }

  @Test func `An app without registration or credential, or with extra claims, gets a recovery suggestion`() throws {
    let machine = try Machine()
    try machine.makeVault()
    let notes = try InstalledApp("notes", on: machine, isRegistered: false)
    expectFailure(try notes.run("get", "a"), Status.missingEntitlement, "not registered", "coffer app add")
    try machine.coffer("app", "add", notes.program + ".entitlements")
    expectFailure(try notes.run("get", "a"), Status.itemNotFound)

    let credential = try machine.vault.appending(path: "apps/\(machine.group("notes"))/credential")
    try FileManager.default.removeItem(at: credential)
    expectFailure(try notes.run("get", "a"), Status.missingEntitlement, "no credential", "coffer app install")
    try machine.coffer("app", "install", notes.bundleID)
    expectFailure(try notes.run("get", "a"), Status.itemNotFound)

    try InstalledApp.plist("notes", in: machine, groups: ["~com.example.notes", "~com.example.bank"])
    expectFailure(try notes.run("get", "a"), Status.missingEntitlement, "com.example.bank")
  }

  @Test func `Entitlements are found next to the program, or else at COFFER_ENTITLEMENTS`() throws {
    let machine = try Machine()
    try machine.makeVault()
    let notes = try InstalledApp("notes", on: machine)
    let other = try InstalledApp("other", on: machine)
    try notes.succeed("add", "jane", input: "of notes")
    let named = ["COFFER_ENTITLEMENTS": notes.program + ".entitlements"]
    #expect(try machine.run("KeychainProgram", "get", "jane", environment: named).text == "of notes")
    expectFailure(try other.run("get", "jane", environment: named), Status.itemNotFound)
    let missing = ["COFFER_ENTITLEMENTS": machine.directory.path("missing.entitlements")]
    expectFailure(
      try machine.run("KeychainProgram", "get", "jane", environment: missing), Status.missingEntitlement,
      "missing.entitlements")
  }
}
