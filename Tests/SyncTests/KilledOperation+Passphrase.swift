import CofferSystem
import CofferTestSupport
import Foundation
import Testing

/// Changes of the laptop's passphrase. Afterwards one passphrase must open the admin keys and the app that requires it,
/// and no other one any of them.
extension KilledOperation {
  private static let replacementPoints: Set<FaultPoint> = secretFilePoints.union([
    .replacementDrafted, .replacementCommitted, .successorMoved,
  ])

  static let passphrases = [firstPassphrase, changedPassphrase, forgottenPassphrase]

  static let firstPassphrase = KilledOperation(
    testDescription: "a first passphrase", points: replacementPoints, machine: \.laptop,
    arguments: { ["passphrase", "set", "--new-passphrase-file", $0.passphrase("new")] }
  ) { machines in
    try machines.writePassphrases()
    try machines.laptop.set("kept", "1")
    return ["kept": "1"]
  } recover: { machines in
    // Without a passphrase, or under the new one.
    if try machines.laptop.run("coffer", "list").exitCode == 0 {
      try machines.laptop.coffer("passphrase", "set", "--new-passphrase-file", machines.passphrase("new"))
    }
    #expect(try machines.laptop.run("coffer", "list").exitCode == 5)
    try machines.expectNoReplacement()
    try machines.expectChange(from: "new", to: "last")
    return [:]
  }

  static let changedPassphrase = KilledOperation(
    testDescription: "a change of the passphrase", points: replacementPoints, machine: \.laptop,
    arguments: {
      [
        "passphrase", "change", "--passphrase-file", $0.passphrase("old"), "--new-passphrase-file",
        $0.passphrase("new"),
      ]
    }
  ) { machines in
    try machines.protect()
    return ["kept": "1"]
  } recover: { machines in
    let current = try machines.opens("new") ? "new" : "old"
    try machines.expectOnly(current, of: ["old", "new"])
    try machines.expectChange(from: current, to: "last")
    return [:]
  }

  static let forgottenPassphrase = KilledOperation(
    testDescription: "an enrolment in place of a forgotten passphrase",
    points: replacementPoints.union(pushPoints).union([.recordsRevalidated]),
    machine: \.laptop, arguments: renewal
  ) { machines in
    try machines.protect()
    try machines.laptop.sync()
    return ["kept": "1"]
  } recover: { machines in
    if try !machines.opens("new") {
      try machines.expectOnly("old", of: ["old"])
      try machines.laptop.succeed("coffer", renewal(machines))
    }
    try machines.expectOnly("new", of: ["new"])
    #expect(try machines.laptop.coffer("check").contains("matches"))
    return [:]
  }

  @Sendable private static func renewal(_ machines: PortableMachines) -> [String] {
    [
      "passphrase", "change", "--forgotten", "--vault-key-file", machines.key, "--new-passphrase-file",
      machines.passphrase("new"),
    ]
  }
}

extension PortableMachines {
  private var lockedApp: String { "com.example.photo.free" }

  /// The file with a passphrase of this name.
  fileprivate func passphrase(_ name: String) -> String { host.path("\(name)-passphrase") }

  fileprivate func writePassphrases() throws {
    for name in ["old", "new", "last"] { try host.write("\(name)-passphrase", "the \(name) passphrase") }
  }

  /// Sets the old passphrase, and registers an app that requires it and has an item.
  fileprivate func protect() throws {
    try writePassphrases()
    try laptop.coffer("passphrase", "set", "--new-passphrase-file", passphrase("old"))
    try laptop.coffer(
      "app", "add", Machine.entitlements(of: "PhotoFree"), "--locked", "--passphrase-file", passphrase("old"))
    try laptop.coffer(
      "set", "locked", "a", "--app", lockedApp, "--passphrase-file", passphrase("old"), input: "value")
    try laptop.set("kept", "1")
  }

  /// Whether a passphrase opens the laptop's admin keys. Nothing of an interrupted change is left then.
  fileprivate func opens(_ name: String) throws -> Bool {
    let outcome = try laptop.run("coffer", "list", "--passphrase-file", passphrase(name))
    try expectNoReplacement()
    return outcome.exitCode == 0
  }

  fileprivate func expectNoReplacement() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: laptop.vault.path)
    #expect(!names.contains { $0.hasPrefix("new-keys") }, "\(names)")
  }

  /// Expects that of some passphrases one opens the admin keys and the app, and the others open neither.
  fileprivate func expectOnly(_ current: String, of names: [String]) throws {
    for name in names {
      #expect(try opens(name) == (name == current), "\(name)")
      let app = try laptop.run(
        "coffer", "get", "locked", "a", "--app", lockedApp, "--passphrase-file", passphrase(name))
      #expect(app.exitCode == (name == current ? 0 : 5), "\(name): \(app)")
    }
  }

  /// Changes the passphrase once more.
  fileprivate func expectChange(from old: String, to new: String) throws {
    try laptop.coffer(
      "passphrase", "change", "--passphrase-file", passphrase(old), "--new-passphrase-file", passphrase(new))
    #expect(try opens(new) && !opens(old))
  }
}
