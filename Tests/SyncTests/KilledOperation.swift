import Coffer
import CofferAdministration
import CofferCrypto
import CofferFormat
import CofferSystem
import CofferTestSupport
import CofferVault
import Foundation
import Testing

/// A run of a program that is killed at each of its steps.
struct KilledOperation: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// The fault points that the program reaches: exactly these.
  let points: Set<FaultPoint>
  /// The exit code of the program if it is not killed.
  var exitCode: Int32 = 0
  /// The machine on which the program runs.
  var machine: @Sendable (PortableMachines) -> Machine
  /// The arguments of `coffer`.
  var arguments: @Sendable (PortableMachines) throws -> [String]
  /// Standard input.
  var input = ""
  /// Expects what a kill at a step has left.
  var inspect: @Sendable (PortableMachines, FaultStep) throws -> Void = { _, _ in }
  /// Prepares the vault for the run, and returns the values that were acknowledged, by account.
  let prepare: @Sendable (PortableMachines) throws -> [String: String]
  /// What the user does after the kill. It must succeed. Returns the values that it adds; nil if the laptop and the
  /// desktop have no part in the run.
  let recover: @Sendable (PortableMachines) throws -> [String: String]?

  static let transactionPoints: Set<FaultPoint> = [.transactionComplete, .transactionCommitted]
  static let pushPoints: Set<FaultPoint> = [
    .remoteFetched, .commitWritten, .pushSent, .pushAccepted, .pushRecorded, .transactionComplete,
    .transactionCommitted,
  ]
  static let secretFilePoints: Set<FaultPoint> = [.secretFileWritten, .secretFileRenamed]
  private static let creationPoints: Set<FaultPoint> = secretFilePoints.union([
    .stagingLocked, .stagingCreated, .storeDrafted, .storeLinked, .transactionComplete, .transactionCommitted,
    .stagingComplete, .vaultMoved,
  ])

  private static func sync(_ machines: PortableMachines) -> [String] { ["sync"] }

  static let all =
    [set, delete, initialisation, clone, registration, firstPush, push, importing]
    + [withdrawal, revalidation, transportKey, rollBack, repair, rebuild] + passphrases + revocations + vaultKeys
    + epochs

  static let set = KilledOperation(
    testDescription: "a set", points: transactionPoints, machine: \.laptop,
    arguments: { _ in ["set", "service", "killed", "--app", app] }, input: "value",
    inspect: { machines, step in
      let value = try machines.laptop.get("killed")
      #expect(value == (step.point == .transactionCommitted ? "value" : "before"))
    }
  ) { machines in
    try machines.laptop.set("killed", "before")
    try machines.laptop.set("kept", "1")
    return ["kept": "1"]
  } recover: { machines in
    try machines.laptop.set("killed", "again")
    return ["killed": "again"]
  }

  static let delete = KilledOperation(
    testDescription: "a delete", points: transactionPoints, machine: \.laptop,
    arguments: { _ in ["delete", "service", "killed", "--app", app] },
    inspect: { machines, step in
      let outcome = try machines.laptop.run("coffer", "delete", "service", "killed", "--app", app)
      #expect(outcome.exitCode == (step.point == .transactionCommitted ? 3 : 0), "\(outcome)")
    }
  ) { machines in
    for account in ["killed", "kept"] { try machines.laptop.set(account, "1") }
    return ["kept": "1"]
  } recover: { _ in
    [:]
  }

  static let initialisation = KilledOperation(
    testDescription: "an init", points: creationPoints.union([.vaultKeyWritten]), machine: \.third,
    arguments: { ["init", "--no-passphrase", "--vault-key-file", $0.third.directory.path("key")] }
  ) { _ in
    [:]
  } recover: { machines in
    let third = machines.third
    if !FileManager.default.fileExists(atPath: third.vault.path) {
      try third.coffer("init", "--no-passphrase", "--vault-key-file", third.directory.path("another-key"))
      try machines.expectNoLeftovers()
    }
    try third.register("PhotoPro")
    try third.set("first", "1")
    #expect(try third.storedValues() == ["first": "1"])
    return nil
  }

  static let clone = KilledOperation(
    testDescription: "a clone",
    points: creationPoints.union(pushPoints).union([
      .vaultDownloaded, .downloadImported, .segmentImported, .recordsRevalidated,
    ]),
    machine: \.third, arguments: cloneArguments
  ) { machines in
    try machines.laptop.set("kept", "1")
    try machines.laptop.sync()
    return ["kept": "1"]
  } recover: { machines in
    if !FileManager.default.fileExists(atPath: machines.third.vault.path) {
      try machines.third.succeed("coffer", cloneArguments(machines))
      try machines.expectNoLeftovers()
    }
    #expect(try machines.third.storedValues() == ["kept": "1"])
    return [:]
  }

  @Sendable private static func cloneArguments(_ machines: PortableMachines) -> [String] {
    ["clone", "--name", "third", "--no-passphrase", "--vault-key-file", machines.key, PortableMachines.url]
  }

  static let registration = KilledOperation(
    testDescription: "a registration", points: pushPoints.union(secretFilePoints).union([.recordsRevalidated]),
    machine: \.laptop,
    arguments: { ["app", "add", try plist($0)] }
  ) { machines in
    try machines.laptop.set("kept", "1")
    try machines.laptop.sync()
    return ["kept": "1"]
  } recover: { machines in
    try machines.laptop.coffer("app", "add", try plist(machines))
    try machines.laptop.coffer("set", "service", "new", "--app", newApplication, input: "value")
    try machines.laptop.sync()
    try machines.desktop.sync()
    try machines.desktop.coffer("app", "install", newApplication)
    #expect(try machines.desktop.coffer("get", "service", "new", "--app", newApplication) == "value")
    return [:]
  }

  private static let newApplication = "com.example.new"

  @Sendable private static func plist(_ machines: PortableMachines) throws -> String {
    try machines.laptop.directory.write(
      "new.entitlements",
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict>
      <key>application-identifier</key><string>$(AppIdentifierPrefix)\(newApplication)</string>
      </dict></plist>
      """)
  }

  static let firstPush = KilledOperation(
    testDescription: "the first sync of a vault", points: pushPoints.union([.segmentSealed, .recordsRevalidated]),
    machine: \.third, arguments: sync
  ) { machines in
    try machines.makeRemote("other")
    try machines.third.coffer("init", "--no-passphrase", "--vault-key-file", machines.otherKey)
    try machines.third.register("PhotoPro")
    try machines.third.set("first", "1")
    try machines.third.coffer("remote", "set", "host.example:other.git")
    return [:]
  } recover: { machines in
    try machines.third.sync()
    try machines.third.set("second", "2")
    try machines.third.sync()
    #expect(try machines.third.storedStatus().unsyncedChanges == 0)
    let clone = try machines.copy(of: machines.third)
    try FileManager.default.removeItem(at: clone.home)
    try clone.coffer(
      "clone", "--no-passphrase", "--vault-key-file", machines.otherKey, "host.example:other.git")
    #expect(try clone.storedValues() == ["first": "1", "second": "2"])
    return nil
  }

  static let push = KilledOperation(
    testDescription: "a sync that pushes two segments", points: pushPoints.union([.segmentSealed]), machine: \.laptop,
    arguments: sync
  ) { machines in
    try machines.laptop.coffer("set", "other", "purchase", "--app", app, "--group", purchases, input: "1")
    for account in ["one", "two"] { try machines.laptop.set(account, "1") }
    return ["one": "1", "two": "1"]
  } recover: { machines in
    try machines.laptop.sync()
    try machines.desktop.sync()
    #expect(
      try machines.desktop.coffer("get", "other", "purchase", "--app", app, "--group", purchases) == "1")
    return [:]
  }

  private static let purchases = "com.example.photo.purchases"

  static let importing = KilledOperation(
    testDescription: "a sync that imports log entries and segments",
    points: transactionPoints.union([.remoteFetched, .logEntryImported, .recordsRevalidated, .segmentImported]),
    machine: \.desktop, arguments: sync
  ) { machines in
    try machines.laptop.coffer("app", "add", try plist(machines))
    for account in ["one", "two", "three"] {
      try machines.laptop.set(account, account)
      try machines.laptop.sync()
    }
    return ["one": "one", "two": "two", "three": "three"]
  } recover: { machines in
    try machines.desktop.sync()
    #expect(try machines.desktop.storedValues() == ["one": "one", "two": "two", "three": "three"])
    return [:]
  }

  static let withdrawal = KilledOperation(
    testDescription: "a sync of a copied machine that withdraws its segments",
    points: pushPoints.union([.segmentsWithdrawn, .segmentImported, .segmentSealed]), machine: \.laptop, arguments: sync
  ) { machines in
    // Begins the stream that both continue.
    try machines.laptop.set("kept", "1")
    try machines.laptop.sync()
    let copy = try machines.copy(of: machines.laptop)
    try machines.laptop.set("first of original", "original")
    // Seals a segment, under a number that the copy then uses.
    try machines.laptop.kill("coffer", ["sync"], at: FaultStep(point: .segmentSealed, occurrence: 1))
    try copy.set("first of copy", "copy")
    try copy.sync()
    return ["kept": "1", "first of copy": "copy", "first of original": "original"]
  } recover: { machines in
    try machines.laptop.sync()
    return [:]
  }

  static let revalidation = KilledOperation(
    testDescription: "a sync that validates pending records",
    points: transactionPoints.union([.remoteFetched, .logEntryImported, .recordsRevalidated]), machine: \.desktop,
    arguments: sync
  ) { machines in
    let known = Set(try machines.files())
    try machines.laptop.coffer("app", "add", try plist(machines))
    try machines.laptop.coffer("set", "service", "pending", "--app", newApplication, input: "value")
    try machines.laptop.sync()
    let tip = try machines.tip
    let entries = try machines.files().filter { $0.hasPrefix("log/") && !known.contains($0) }
    try machines.remove(entries)
    _ = try machines.desktop.run("coffer", "sync")
    #expect(try machines.desktop.storedStatus().pendingRecords == 1)
    try machines.restore(tip)
    return [:]
  } recover: { machines in
    try machines.desktop.sync()
    #expect(try machines.desktop.storedStatus().pendingRecords == 0)
    try machines.desktop.coffer("app", "install", newApplication)
    #expect(try machines.desktop.coffer("get", "service", "pending", "--app", newApplication) == "value")
    return [:]
  }

  static let transportKey = KilledOperation(
    testDescription: "a sync that receives a transport key",
    points: transactionPoints.union(secretFilePoints).union([
      .remoteFetched, .transportKeyWritten, .logEntryImported, .recordsRevalidated, .segmentImported,
    ]), machine: \.desktop, arguments: sync
  ) { machines in
    let (sequence, envelope) = try machines.nextTransportKey()
    try machines.add("log/\(sequence / 64)/\(sequence)", envelope.bytes)
    try machines.laptop.sync()
    try machines.laptop.set("sealed under the new key", "1")
    try machines.laptop.sync()
    return ["sealed under the new key": "1"]
  } recover: { machines in
    try machines.desktop.sync()
    let device = try LocalVault.open(VaultFolder(machines.desktop.vault)).deviceFile()
    #expect(device.transportKeys.map(\.generation) == [1, 2])
    return [:]
  }

  static let rollBack = KilledOperation(
    testDescription: "a sync that repairs a remote that was set back", points: pushPoints, exitCode: 6,
    machine: \.laptop,
    arguments: sync
  ) { machines in
    let tip = try machines.tip
    try machines.laptop.set("lost", "1")
    try machines.laptop.sync()
    try machines.setTip(tip)
    return ["lost": "1"]
  } recover: { machines in
    // The killed sync may have repaired the remote.
    _ = try machines.laptop.run("coffer", "sync")
    try machines.laptop.sync()
    return [:]
  }

  static let repair = KilledOperation(
    testDescription: "a repair of the store", points: transactionPoints, machine: \.laptop,
    arguments: { _ in ["check", "--repair"] }
  ) { machines in
    try machines.laptop.set("sent", "1")
    try machines.laptop.sync()
    try machines.laptop.set("unsent", "2")
    try Command.run(
      "sqlite3", machines.laptop.vault.appending(path: "store.sqlite").path,
      "DELETE FROM outbox; UPDATE record SET head = 0; DELETE FROM token")
    return ["sent": "1", "unsent": "2"]
  } recover: { machines in
    try machines.laptop.coffer("check", "--repair")
    return [:]
  }

  static let rebuild = KilledOperation(
    testDescription: "a rebuild of the store",
    points: pushPoints.union([
      .stagingLocked, .stagingCreated, .vaultDownloaded, .storeDrafted, .storeLinked, .storeFileSetAside,
      .storeReplaced,
      .segmentImported, .segmentSealed, .recordsRevalidated,
    ]),
    machine: \.laptop, arguments: { _ in ["clone", "--rejoin", PortableMachines.url] }
  ) { machines in
    try machines.laptop.set("sent", "1")
    try machines.laptop.sync()
    // The write-ahead log of the old store contains this write.
    try machines.laptop.kill(
      "coffer", ["set", "service", "unsent", "--app", app], input: "2",
      at: FaultStep(point: .transactionCommitted, occurrence: 1))
    return ["sent": "1", "unsent": "2"]
  } recover: { machines in
    if try machines.laptop.run("coffer", "status").exitCode != 0 {
      try machines.laptop.coffer("clone", "--rejoin", PortableMachines.url)
    }
    return [:]
  }
}
