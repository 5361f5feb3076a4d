import CofferFormat
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// Somebody who reads a repository in one of the ways that the programs know.
enum VaultReader: String, CaseIterable {
  /// A machine of the vault that has something to push.
  case existing = "an existing machine"
  /// A machine of the vault that has nothing to push.
  case idle = "an existing machine without changes"
  case clone = "a clone with the vault key"
  case rejoined = "a machine that rejoins"
  case invited = "an invited machine"
  case headless = "a headless credential"
}

extension InsiderVault {
  /// Lets somebody read the repository, and expects that it has what was acknowledged, names what it was shown, and
  /// that everybody goes on with it.
  ///
  /// - Parameters:
  ///   - reader: The reader.
  ///   - words: What it names.
  ///   - insiders: Whoever must not open what is written now.
  ///   - location: The line of the test.
  /// - Throws: An error if a program fails.
  func expect(
    _ reader: VaultReader, names words: String, hidingFrom insiders: [Insider],
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    var expected = acknowledged
    var machine = third
    if reader == .existing {
      try third.set("pending", "5 pending")
      expected["pending"] = "5 pending"
    }
    if reader == .clone || reader == .invited { machine = try Machine() }
    let outcome = try read(reader, on: machine)
    // A rejoining machine ends with the exit code of its sync.
    let exitCode: Int32 = [.existing, .idle, .rejoined].contains(reader) ? 6 : 0
    #expect(outcome.exitCode == exitCode, "\(outcome)", sourceLocation: location)
    // What the inviter's push has removed before, an invited machine is not shown.
    #expect(reader == .invited || outcome.errors.contains(words), "\(outcome)", sourceLocation: location)
    guard reader != .headless else {
      return #expect(outcome.text == acknowledged["after"], "\(outcome)", sourceLocation: location)
    }
    #expect(try machine.values() == expected, sourceLocation: location)
    // What it writes now reaches the others, and nobody else.
    try machine.set("typed", "5 typed")
    expected["typed"] = "5 typed"
    for one in [machine, laptop, third] { _ = try one.run("coffer", "sync") }
    try expectAgreement(of: [machine, laptop, third], on: expected, location)
    #expect(try machine.coffer("check") == "The store matches its signed objects.", sourceLocation: location)
    try expectHidden(from: insiders, location)
  }

  /// Expects that machines sync without a problem and have the same items, the same log, and nobody in the vault who
  /// was removed, and that no branch is left but that of the latest epoch.
  func expectAgreement(
    of machines: [Machine], on expected: [String: String], in latest: String? = nil,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    for machine in machines { try machine.sync() }
    let head = try laptop.local.membership().head
    for machine in machines {
      let membership = try machine.local.membership()
      #expect(try machine.values() == expected, sourceLocation: location)
      #expect(membership.head == head, sourceLocation: location)
      let names = membership.members.map(\.name)
      #expect(Set(names).isDisjoint(with: ["desktop", "tablet"]), "\(names)", sourceLocation: location)
    }
    #expect(try branches() == [latest ?? branch], sourceLocation: location)
  }

  /// Expects that insiders open nothing that was written after they lost their rights: those values begin with 5.
  /// Before the vault key was replaced, only what tests write counts.
  func expectHidden(from insiders: [Insider], _ location: SourceLocation = #_sourceLocation) throws {
    for (insiders, secrets) in [(insiders.filter { $0 != .oldRoot }, "5"), (insiders.filter { $0 == .oldRoot }, "5 t")]
    where !insiders.isEmpty {
      let values = try attacker(insiders).opened().items.map(\.value)
      #expect(!values.isEmpty && values.allSatisfy { !$0.hasPrefix(secrets) }, "\(values)", sourceLocation: location)
    }
  }

  private func read(_ reader: VaultReader, on machine: Machine) throws -> Machine.Outcome {
    switch reader {
    case .existing, .idle: return try machine.run("coffer", "sync")
    case .clone: return try clone(on: machine)
    case .rejoined: return try machine.run("coffer", "clone", "--rejoin", remote.path)
    case .headless: return try readHeadless()
    case .invited:
      let scene = InvitationScene(TwoMachines(remote, laptop, third, key: key), new: machine)
      let program = try scene.clone(scene.invite("--apps", app).code)
      try scene.waitForRequests()
      _ = try scene.approve()
      return try program.wait()
    }
  }

  /// Clones the vault with the vault key, by default from its own remote.
  func clone(on machine: Machine, from copy: TemporaryRemote? = nil, _ options: String...) throws -> Machine.Outcome {
    let arguments = ["clone", "--name", "clone", "--no-passphrase", "--vault-key-file", key]
    return try machine.start("coffer", arguments + options + [(copy ?? remote).path]).wait()
  }

  /// Reads the last item with the headless credential, by default from the vault's own remote.
  func readHeadless(
    from copy: TemporaryRemote? = nil, _ options: String..., environment: [String: String] = [:]
  ) throws -> Machine.Outcome {
    let variables = ["COFFER_CREDENTIAL_FILE": try credential, "COFFER_REPOSITORY": (copy ?? remote).path]
    let machine = try Machine()
    defer { extendLifetime(machine) }
    return try machine.start(
      "coffer", ["get", "service", "after"] + options, environment: variables.merging(environment) { $1 }
    ).wait()
  }

  /// The names of the epochs' branches.
  func branches() throws -> [String] {
    try remote.git("for-each-ref", "--format=%(refname:short)", "refs/heads/vault-*").split(separator: "\n")
      .map(String.init)
  }

  /// Runs a sync that finds problems, and returns them.
  func problems(_ machine: Machine, _ location: SourceLocation = #_sourceLocation) throws -> String {
    let outcome = try machine.run("coffer", "sync")
    #expect(outcome.exitCode == 6, "\(outcome)", sourceLocation: location)
    return outcome.errors
  }
}
