import CofferFormat
import CofferStore
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// Every kind of signed object, changed in every way by everybody who may push and has keys that count for less than
/// they did.
@Suite struct InsiderMatrixTests {
  /// Every cell, and new machines for each, if COFFER_SOAK is 1.
  fileprivate static let isSoak = SeededGenerator.isSoak

  /// One with keys that the others do not use any more, and one that opens everything that is written now.
  private static let insiders = isSoak ? Insider.allCases : [.revokedAdmin, .headless]
  private static let cases = InsiderMatrix.Object.allCases.flatMap { object in insiders.map { (object, $0) } }

  @Test(arguments: TestRun.rows(cases, ordinarily: 2))
  func `What insiders do to signed objects ends as FORMAT.md says, and takes nothing from anybody`(
    object: InsiderMatrix.Object, insider: Insider
  ) throws {
    let documented = try InsiderMatrix.documented()
    let scene = try InsiderScene(insider)
    var accepted = false
    for change in InsiderMatrix.Change.allCases {
      let outcome = try scene.outcome(object, change)
      let cell = InsiderMatrix.Cell(object: object, change: change, insider: insider)
      #expect(outcome == documented[cell], "\(object.rawValue) \(change.rawValue) by the \(insider.rawValue)")
      accepted = accepted || outcome == .accepted
    }
    try scene.expectNothingLost(withItemsOfInsider: accepted)
  }

  @Test func `The table of FORMAT.md has every cell`() throws {
    let count = InsiderMatrix.Object.allCases.count * InsiderMatrix.Change.allCases.count * Insider.allCases.count
    #expect(try InsiderMatrix.documented().count == count)
  }
}

extension InsiderScene {
  /// Carries out an attack, and says what has become of it after a machine has synced.
  fileprivate func outcome(
    _ object: InsiderMatrix.Object, _ change: InsiderMatrix.Change
  ) throws -> InsiderMatrix.Outcome {
    if object == .backup, change == .added { return try outcomeOfBackup() }
    guard let attempt = try self.attempt(object, change) else { return .inapplicable }
    let written: Attack
    do {
      written = try vault.attacker(attempt.insiders ?? [insider]).run(attempt.command, on: attempt.branch)
    } catch  where "\(error)".contains("the keys do not open") {
      return .impossible
    }
    let place = written.branch + ":" + (try #require(attempt.path ?? written.paths.last))
    let attacked = try #require(try everyFile()[place])
    if InsiderMatrixTests.isSoak || change == .replaced || change == .planted {
      try expectNewMachines("\(object.rawValue) \(change.rawValue)", attempt.newKey)
    }

    let valuesBefore = try vault.third.values()
    let sync = try vault.third.run("coffer", "sync")
    try #require([0, 6].contains(sync.exitCode), "\(sync)")
    let (after, isNamed) = (try everyFile()[place], sync.exitCode == 6)
    #expect(isNamed == !sync.errors.isEmpty, "\(object.rawValue) \(change.rawValue): \(sync)")
    if attempt.isPlanted {
      try expectEverything(of: "\(object.rawValue) \(change.rawValue)")
    } else if try vault.third.values() != valuesBefore {
      return .accepted
    }
    switch after {
    case attacked: return isNamed ? .named : .same
    case nil: return isNamed ? .removed : .dropped
    default:
      return isNamed ? .putBack : .restored
    }
  }

  /// Expects that the laptop puts back what only it has, that its item counts, and that nothing of the insider does.
  private func expectEverything(of words: String) throws {
    _ = try vault.laptop.run("coffer", "sync")
    try vault.third.sync()
    let values = try vault.third.values()
    #expect(try values == vault.laptop.values() && !values.keys.contains("planted"), "\(words): \(values)")
    #expect(try vault.third.local.membership().head == vault.laptop.local.membership().head, "\(words)")
  }

  /// Gives a new machine, which has the vault key, a backup of the present vault that the insider has signed.
  private func outcomeOfBackup() throws -> InsiderMatrix.Outcome {
    let file = vault.laptop.directory.path("\(insider.rawValue).backup")
    // Those who cannot read the end of the log any more get it from a member.
    let attacker = try vault.attacker(insider.readsOn ? [insider] : [insider, .member])
    try attacker.run("backup", "--out", file, "--signer", "\(insider.machine)@1")
    var outcomes: Set<Int32?> = []
    for command in [["backup", "check"], ["backup", "restore", "--name", "phoenix", "--no-passphrase"]] {
      let machine = try Machine()
      let outcome = try machine.start("coffer", command + ["--vault-key-file", vault.key, file]).wait()
      outcomes.insert(outcome.exitCode)
      #expect(outcome.exitCode == 0 || outcome.errors.contains("signed it") && machine.files().isEmpty, "\(outcome)")
    }
    #expect(outcomes.count == 1)
    return outcomes == [0] ? .accepted : .refused
  }

  /// Expects that a clone and a headless read have everything that was acknowledged while the attack is on the remote.
  private func expectNewMachines(_ words: String, _ newKey: String?) throws {
    let copy = try TemporaryRemote(copying: vault.remote)
    let clone = try Machine()
    let outcome = try vault.clone(on: clone, from: copy, "--vault-key-file", newKey ?? vault.key)
    #expect(outcome.exitCode == 0, "\(words): \(outcome)")
    let values = try clone.values()
    #expect(
      vault.acknowledged.allSatisfy { values[$0.key] == $0.value || values[$0.key] == "evil" }, "\(words): \(values)")
    let read = try vault.readHeadless(from: copy)
    #expect(read.exitCode == 0 && read.text == vault.acknowledged["after"], "\(words): \(read)")
  }

  /// The identifier of each file, by its branch and path.
  private func everyFile() throws -> [String: String] {
    var files: [String: String] = [:]
    let branches = try vault.remote.git("for-each-ref", "--format=%(refname:short)", "refs/heads").split(
      separator: "\n")
    for branch in branches {
      for line in try vault.remote.git("ls-tree", "-r", String(branch)).split(separator: "\n") {
        let parts = line.split(separator: "\t")
        files["\(branch):\(parts[1])"] = String(parts[0].split(separator: " ")[2])
      }
    }
    return files
  }

  /// Expects that machines agree on what was acknowledged, and that whoever lost the right to read opens none of it.
  fileprivate func expectNothingLost(withItemsOfInsider accepted: Bool) throws {
    _ = try vault.laptop.run("coffer", "sync")
    var expected = vault.acknowledged
    // An insider's item, and the one before which the insider has planted an object.
    expected.merge(
      try vault.laptop.values().filter { accepted && $0.value == "evil" || $0 == ("fresh", "5 fresh") }
    ) { $1 }
    let epoch = try vault.laptop.local.store.read { try $0.epochBranch().name }
    try vault.expectAgreement(of: [vault.third, vault.laptop], on: expected, in: epoch)
    #expect(try vault.third.coffer("check") == "The store matches its signed objects.")
    try vault.expectHidden(from: [.revokedAdmin, .revokedMachine, .oldRoot])
  }
}
