import CofferTestSupport
import Foundation
import Testing

@Suite struct AccessTests {
  private let free = ["--app", "com.example.photo.free"]
  private let pro = ["--app", "com.example.photo.pro"]

  /// Returns a machine with two apps that may both write the group `~com.example.shared`.
  private func suite() throws -> Machine {
    let machine = try Machine()
    try machine.makeVault()
    for name in ["one", "two"] {
      let plist = try machine.plist(
        "com.example.\(name)", groups: ["~com.example.\(name)", "~com.example.shared"], as: name)
      try machine.coffer("app", "add", plist)
    }
    return machine
  }

  @Test func `Two apps of one team share a group's items, and neither reads the other's own`() throws {
    let machine = try suite()
    let shared = ["--group", "com.example.shared"]
    try machine.succeed("coffer", ["set", "s", "a", "--app", "com.example.one"] + shared, input: "from one")
    #expect(try machine.succeed("coffer", ["get", "s", "a", "--app", "com.example.two"]) == "from one")
    try machine.succeed("coffer", ["set", "s", "a", "--app", "com.example.two"] + shared, input: "from two")
    #expect(try machine.succeed("coffer", ["get", "s", "a", "--app", "com.example.one"]) == "from two")

    for (owner, other) in [("one", "two"), ("two", "one")] {
      try machine.succeed("coffer", ["set", "own", owner, "--app", "com.example.\(owner)"], input: "private")
      let app = ["--app", "com.example.\(other)"]
      let named = ["--group", "com.example.\(owner)"]
      for command in [["get", "own", owner], ["set", "own", owner], ["delete", "own", owner], ["list"]] {
        let outcome = try machine.start("coffer", command + app + named, input: Data("x".utf8)).wait()
        expectFailure(outcome, 4, "not entitled", "com.example.\(owner)", "coffer app add")
      }
      expectFailure(try machine.start("coffer", ["get", "own", owner] + app).wait(), 3, "no such item")
      let rows = try machine.json([ItemRow].self, "list", "--app", "com.example.\(other)")
      #expect(!rows.contains { $0.group.hasSuffix("com.example.\(owner)") })
    }
  }

  @Test func `An app is named by its full or bundle identifier; an unknown one is exit code 4`() throws {
    let machine = try Machine.withExamples()
    let team = try machine.team()
    for app in ["\(team).com.example.photo.pro", "com.example.photo.pro"] {
      try machine.coffer("set", "s", "a", "--app", app, input: "v")
    }
    for app in ["com.example.photo", "com.example.photo.pr", "*", "ABCDEFGHIJ.com.example.photo.pro"] {
      let outcome = try machine.run("coffer", "get", "s", "a", "--app", app)
      expectFailure(outcome, 4, "registered are: \(team).com.example.photo.free, \(team).com.example.photo.pro")
    }
  }

  @Test func `For an unregistered app the error says how to register it`() throws {
    let machine = try Machine()
    try machine.makeVault()
    expectFailure(try machine.run("PhotoFree"), 1, "not registered", "coffer app add")
    expectFailure(
      try machine.run("coffer", "get", "s", "a", "--app", "com.example.photo.free"), 4, "coffer app add")
  }

  @Test func `An app reads its read-only group, and its writes are refused with a recovery suggestion`() throws {
    let machine = try Machine.withExamples()
    let purchases = ["--group", "com.example.photo.purchases"]
    try machine.succeed("coffer", ["set", "store.example.com", "photo-pro"] + purchases + pro, input: "receipt")
    #expect(try machine.succeed("coffer", ["get", "store.example.com", "photo-pro"] + free) == "receipt")
    // Without a group, a deletion finds the item where `get` finds it.
    for (command, group) in [("set", purchases), ("delete", purchases), ("delete", [])] {
      let outcome = try machine.start(
        "coffer", [command, "store.example.com", "photo-pro"] + group + free, input: Data("x".utf8)
      )
      .wait()
      expectFailure(outcome, 4, "may read", "not write", "coffer app add")
    }
    // The app reads the value, and is not satisfied with it.
    expectFailure(try machine.run("PhotoFree"), 1, "not a receipt")
  }

  @Test
  func `A registration that adds a group gives access to its items; one that removes a group asks`() throws {
    let machine = try suite()
    try machine.coffer("set", "s", "a", "--app", "com.example.two", input: "of two")
    let both = try machine.plist(
      "com.example.one", groups: ["~com.example.one", "~com.example.shared", "~com.example.two"], as: "wider")
    try machine.coffer("app", "add", both)
    #expect(try machine.coffer("get", "s", "a", "--app", "com.example.one") == "of two")
    try machine.coffer("set", "s", "a", "--app", "com.example.one", "--group", "com.example.two", input: "of one")
    #expect(try machine.coffer("get", "s", "a", "--app", "com.example.two") == "of one")

    let narrow = try machine.plist(
      "com.example.one", groups: ["~com.example.one", "~com.example.shared"], as: "narrow")
    let outcome = try machine.run("coffer", "app", "add", narrow)
    #expect(outcome.exitCode == 2 && outcome.errors.contains("add --yes; nothing was changed"), "\(outcome)")
    #expect(outcome.errors.contains("reading and writing") && outcome.errors.contains("com.example.two"), "\(outcome)")
    let readOnly = try machine.plist(
      "com.example.one", groups: ["~com.example.one", "~com.example.shared"], readOnly: ["~com.example.two"],
      as: "weaker")
    let weaker = try machine.run("coffer", "app", "add", readOnly)
    #expect(weaker.exitCode == 2 && weaker.errors.contains("    writing "), "\(weaker)")
    #expect(try machine.coffer("get", "s", "a", "--app", "com.example.one") == "of one")
  }

  @Test func `Registering the same entitlements again changes nothing`() throws {
    let machine = try Machine.withExamples()
    let before = try machine.json(StatusReport.self, "status")
    #expect(try machine.coffer("app", "add", Machine.entitlements(of: "PhotoPro")).contains("was already registered"))
    let after = try machine.json(StatusReport.self, "status")
    #expect(before.logLength == after.logLength && before.headPhrase == after.headPhrase)
  }

  @Test func `The refusal of a plist names file and recovery suggestion, and nothing is registered`() throws {
    let machine = try Machine()
    try machine.makeVault()
    expectFailure(try machine.run("coffer", "app", "add", machine.directory.path("none")), 2, "none", "entitlements")
    let cases = [
      (groups: ["~com.example.*"], word: "wildcard"), (groups: ["ABCDEFGHIJ.com.example.x"], word: "ABCDEFGHIJ"),
      (groups: ["~com.example.x", "~com.example.x"], word: "com.example.x"),
    ]
    for (index, bad) in cases.enumerated() {
      let file = try machine.plist("com.example.bad", groups: bad.groups, as: "bad\(index)")
      expectFailure(try machine.run("coffer", "app", "add", file), 4, "bad\(index).entitlements", bad.word)
    }
    let malformed = try machine.directory.write("malformed", "<plist><dict></plist>")
    expectFailure(try machine.run("coffer", "app", "add", malformed), 4, "malformed")
    #expect(try machine.json([AppRow].self, "app", "list").isEmpty)
  }

  @Test func `A lost credential is reported with the command that issues one, and that command works`() throws {
    let machine = try Machine.withExamples()
    try machine.succeed("PhotoPro", ["buy"])
    try FileManager.default.removeItem(at: try machine.credential(of: "com.example.photo.free"))
    expectFailure(
      try machine.run("PhotoFree"), 1, "no credential",
      "coffer app install \(try machine.team()).com.example.photo.free")
    expectFailure(try machine.start("coffer", ["list"] + free).wait(), 4, "coffer app install")
    #expect(try machine.coffer("status").contains("with: coffer app install com.example.photo.free"))
    #expect(try machine.json([AppRow].self, "app", "list").map(\.hasCredentialHere) == [false, true])
    try machine.coffer("app", "install", "com.example.photo.free")
    #expect(try machine.succeed("PhotoFree").hasPrefix("Pro unlocked"))
    expectFailure(try machine.run("coffer", "app", "install", "com.example.none"), 4, "registered are")
  }

  @Test(arguments: [0o644, 0o640, 0o604])
  func `A credential that others can read is refused until its mode is corrected`(mode: Int) throws {
    let machine = try Machine.withExamples()
    let file = try machine.credential(of: "com.example.photo.free")
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
    let outcome = try machine.run("PhotoFree")
    expectFailure(outcome, 1, "other users", "chmod 600 '\(file.path)'")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    try machine.succeed("PhotoFree")
  }

  @Test func `A credential of another vault, or of another app, is refused`() throws {
    let machine = try Machine.withExamples()
    let other = try Machine.makeExamples()
    let file = try machine.credential(of: "com.example.photo.free")
    func replace(with source: URL) throws {
      try FileManager.default.removeItem(at: file)
      try FileManager.default.copyItem(at: source, to: file)
    }
    try replace(with: try machine.credential(of: "com.example.photo.pro"))
    expectFailure(try machine.start("coffer", ["list"] + free).wait(), 6, "another app", "coffer app install")

    // The whole vault is replaced while the credential is kept.
    let kept = try machine.credential(of: "com.example.photo.pro")
    let target = try other.credential(of: "com.example.photo.pro")
    try FileManager.default.removeItem(at: target)
    try FileManager.default.copyItem(at: kept, to: target)
    let outcome = try other.run("coffer", "list", "--app", "com.example.photo.pro")
    #expect(outcome.exitCode == 6, "\(outcome)")
  }

  @Test(arguments: ["PhotoFree", "PhotoPro"])
  func `A program with wrong arguments lists the valid ones`(program: String) throws {
    let machine = try Machine.withExamples()
    expectFailure(try machine.run(program, "dance"), 2, "dance", "use none")
  }
}

@Suite struct LockedAppTests {
  @Test func `An app added as locked requires the passphrase, in the app and on the command line`() throws {
    let machine = try Machine()
    let file = try machine.directory.write("passphrase", "right")
    let given = ["--passphrase-file", file]
    try machine.succeed("coffer", ["init", "--vault-key-file", machine.directory.path("key")] + given)
    try machine.succeed("coffer", ["app", "add", "--locked", Machine.entitlements(of: "PhotoPro")] + given)
    let pro = ["s", "a", "--app", "com.example.photo.pro"]
    expectFailure(try machine.start("coffer", ["set"] + pro, input: Data("v".utf8)).wait(), 5, "--passphrase-file")
    try machine.succeed("coffer", ["set"] + pro + given, input: "v")
    #expect(try machine.succeed("coffer", ["get"] + pro + given) == "v")
    #expect(try machine.succeed("coffer", ["app", "list"]).contains("locked"))
    expectFailure(try machine.run("PhotoPro"), 1, "locked", "passphrase")
    // Registered again without the option, it stays locked; with the option that unlocks it, it does not.
    try machine.succeed("coffer", ["app", "add", Machine.entitlements(of: "PhotoPro")] + given)
    expectFailure(try machine.run("PhotoPro"), 1, "locked")
    try machine.succeed("coffer", ["app", "add", "--no-locked", Machine.entitlements(of: "PhotoPro")] + given)
    #expect(try machine.succeed("coffer", ["get"] + pro) == "v")
  }
}
