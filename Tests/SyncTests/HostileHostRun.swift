import Coffer
import CofferAdministration
import CofferSystem
import CofferTestSupport
import CofferVault
import Foundation

/// A random run of three machines and a hostile host, which comes to its senses in the end.
///
/// In the run, every program must end with a documented exit code, within a limit of memory, and name each harm that
/// its machine is shown. After it, every acknowledged write must be on all machines.
final class HostileHostRun {
  /// A promise that was not kept.
  struct Violation: Error, CustomStringConvertible {
    let description: String
  }

  static let machineNames = ["laptop", "desktop", "third"]
  /// Runs a program with at most 300 MiB of memory. The peak that the system reports of a child would not do: it
  /// includes the memory of the process that started it.
  private static let limited = ["sh", "-c", "ulimit -d 307200 && exec \"$@\"", "sh"]
  private static let accounts = (0..<5).map { "account-\($0)" }

  let machines: [Machine]
  let host: HostileHost
  var generator: SeededGenerator
  /// What happened, for the error.
  private(set) var journal: [String] = []
  /// The number of syncs that were shown a harm.
  private(set) var harmCount = 0
  /// Whether two machines have pushed different log entries at one position.
  private(set) var hasFork = false
  /// The number of acknowledged writes.
  var writeCount: Int { written.values.reduce(0) { $0 + $1.count } }

  /// The files that each machine has imported or pushed, as far as the host can tell.
  private var known: [HostileHost.Files] = [[:], [:], [:]]
  /// The objects that each machine was shown.
  private var shown: [Set<String>] = [[], [], []]
  /// Harms that a sync of the machine did not name.
  private var unnamed: [Set<String>] = [[], [], []]
  /// Whether the host has changed what the machine sees.
  private var isChanged = [false, false, false]
  /// Every acknowledged value of each account; nil for a deletion.
  private(set) var written: [String: Set<String?>] = [:]
  private var registered: [String] = []
  private let initialLogLength: Int
  /// The log entries that each machine has pushed with success, and therefore must not give up.
  private var pushedEntries: [HostileHost.Files] = [[:], [:], [:]]

  /// A run from a copy of prepared machines.
  init(_ template: PortableMachines, seed: UInt64) throws {
    let copy = try PortableMachines(copying: template)
    portable = copy
    machines = [copy.laptop, copy.desktop, copy.third]
    host = try HostileHost(copy.host.path, views: Self.machineNames)
    for (machine, view) in zip(machines, host.views) { machine.environment["COFFER_TEST_HOST"] = view.folder }
    generator = SeededGenerator(seed: seed)
    let files = host.honestFiles()
    initialLogLength = files.keys.compactMap(HostileHost.logNumber).max() ?? 0
    for index in machines.indices {
      known[index] = files
      shown[index] = Set(files.values.map(\.id))
    }
  }

  /// Keeps the folders of the machines and the host.
  private let portable: PortableMachines

  /// Runs all steps and the end.
  ///
  /// - Parameter stepCount: The number of steps.
  /// - Throws: ``Violation``, with the seed and the journal.
  func run(stepCount: Int) throws {
    do {
      for number in 0..<stepCount {
        journal.append("--- step \(number)")
        try step(number)
      }
      try finish()
    } catch {
      throw Violation(description: "seed \(generator.seed): \(error)\n\(journal.joined(separator: "\n"))")
    }
  }

  // MARK: Steps

  private func step(_ number: Int) throws {
    let index = Int.random(in: 0..<3, using: &generator)
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<34: try write(index, value: "value \(number)")
    case 34..<39: try write(index, value: nil)
    case 39..<60: try sync(index)
    case 60..<63: try killSync(index)
    case 63..<67: try register(index, number)
    case 67..<69: try install(index)
    case 69..<74: try dropPush(of: index)
    case 74..<80:
      host.views[index].isIsolated.toggle()
      journal.append("host: \(host.views[index].isIsolated ? "isolates" : "admits") \(name(index))")
    case 80..<83:
      host.hidden = Set(
        host.genuine.keys.sorted().filter { path in
          (HostileHost.logNumber(path) ?? 0) > initialLogLength || path.contains("/") && generator.chance(5)
        })
      journal.append("host: hides \(host.hidden.sorted())")
    case 83..<85:
      host.hidden = []
      journal.append("host: hides nothing")
    default:
      if !isChanged[index], !host.views[index].isIsolated { try showTruth(to: index) }
      journal.append("host: \(try host.harm(index, using: &generator)) for \(name(index))")
      isChanged[index] = true
    }
  }

  private func name(_ index: Int) -> String { Self.machineNames[index] }

  private func write(_ index: Int, value: String?) throws {
    let account = generator.pick(Self.accounts)
    let outcome: Machine.Outcome
    if let value {
      outcome = try run(index, ["set", "service", account, "--app", app], input: value)
      guard outcome.exitCode == 0 else { throw Violation(description: "a set failed: \(outcome)") }
    } else {
      outcome = try run(index, ["delete", "service", account, "--app", app])
      guard [0, 3].contains(outcome.exitCode) else { throw Violation(description: "a delete failed: \(outcome)") }
    }
    if outcome.exitCode == 0 { written[account, default: []].insert(value) }
  }

  private func register(_ index: Int, _ number: Int) throws {
    let application = "com.example.new\(number)"
    let plist = try machines[index].directory.write(
      "\(application).entitlements",
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict>
      <key>application-identifier</key><string>$(AppIdentifierPrefix)\(application)</string>
      </dict></plist>
      """)
    if try transfer(index, ["app", "add", plist]).exitCode == 0 { registered.append(application) }
  }

  private func install(_ index: Int) throws {
    guard let application = registered.randomElement(using: &generator) else { return }
    _ = try transfer(index, ["app", "install", application])
  }

  /// Accepts a push of a machine and forgets it.
  private func dropPush(of index: Int) throws {
    try sync(index)
    let parent = tipBefore[index]
    guard host.views[index].tip != parent, let added = lastPush[index], !added.isEmpty else { return }
    host.hidden.formUnion(added.keys)
    try host.show(parent, to: index)
    isChanged[index] = true
    journal.append("host: drops the push of \(name(index)): \(added.keys.sorted())")
  }

  /// Kills a sync at some step, if it reaches the step. At none of these steps is the host about to change its branch.
  private func killSync(_ index: Int) throws {
    if !isChanged[index], !host.views[index].isIsolated { try showTruth(to: index) }
    let step = FaultStep(
      point: generator.pick([.transactionCommitted, .remoteFetched, .commitWritten, .pushAccepted]),
      occurrence: Int.random(in: 1...3, using: &generator))
    let log = machines[index].directory.path("steps")
    let outcome = try machines[index].start(
      "coffer", ["sync"], environment: ["COFFER_FAULT_LOG": log, "COFFER_FAULT_POINT": "\(step)"]
    ).wait()
    try? FileManager.default.removeItem(atPath: log)
    journal.append("\(name(index)): sync, killed at \(step) → \(outcome)")
    guard outcome.signal == 9 || [0, 6, 7].contains(outcome.exitCode) else {
      throw Violation(description: "an undocumented end: \(outcome)")
    }
    _ = try host.recordPush(from: index)
  }

  private var tipBefore = ["", "", ""]
  private var lastPush: [HostileHost.Files?] = [nil, nil, nil]

  // MARK: Transfers

  private func showTruth(to index: Int, _ files: HostileHost.Files? = nil) throws {
    try host.updateTruth(files)
    if host.views[index].tip != host.truth { try host.show(host.truth, to: index) }
  }

  @discardableResult
  private func sync(_ index: Int) throws -> Machine.Outcome { try transfer(index, ["sync"]) }

  /// Runs a program that syncs, and checks that it names the harms that it is shown.
  @discardableResult
  private func transfer(_ index: Int, _ arguments: [String]) throws -> Machine.Outcome {
    if !isChanged[index], !host.views[index].isIsolated { try showTruth(to: index) }
    let harms = try harms(of: index)
    let files = try host.files(shownTo: index)
    tipBefore[index] = host.views[index].tip
    let outcome = try run(index, arguments)
    let added = try host.recordPush(from: index)
    lastPush[index] = added
    if !added.isEmpty { journal.append("    pushed \(added.keys.sorted())") }
    if !harms.isEmpty { harmCount += 1 }
    let isNamed = outcome.exitCode != 0 || outcome.errors.contains("coffer: ")
    if isNamed {
      unnamed[index] = []
    } else {
      let repeated = harms.intersection(unnamed[index])
      guard repeated.isEmpty else {
        throw Violation(description: "\(name(index)) names no harm at its second sync: \(repeated.sorted())")
      }
      let remaining = try self.harms(of: index)
      let repaired = harms.subtracting(remaining)
      guard repaired.isEmpty else {
        throw Violation(description: "\(name(index)) repaired a harm silently: \(repaired.sorted())")
      }
      unnamed[index] = harms
    }
    shown[index].formUnion(files.values.map(\.id))
    for (path, file) in added {
      known[index][path] = file
      if outcome.exitCode == 0, HostileHost.logNumber(path) != nil { pushedEntries[index][path] = file }
    }
    if outcome.exitCode == 0, outcome.errors.isEmpty, harms.isEmpty {
      known[index] = try host.files(shownTo: index)
    }
    if generator.chance(40) {
      isChanged[index] = false
      try host.lose([], for: index)
    }
    return outcome
  }

  /// What is wrong with the files that a machine is shown, as far as the machine can tell.
  private func harms(of index: Int) throws -> Set<String> {
    var harms: Set<String> = []
    let files = try host.files(shownTo: index)
    for (path, file) in known[index] where files[path] != file {
      harms.insert("\(path) is \(files[path] == nil ? "missing" : "another")")
    }
    for (path, file) in files {
      if file.mode != "100644" || host.genuine[path]?.contains(file.id) != true { harms.insert("\(path) is planted") }
      if host.views[index].lost.contains(file.id), !shown[index].contains(file.id) { harms.insert("\(path) is lost") }
    }
    return harms
  }

  /// Runs `coffer` and checks what is promised of every run.
  private func run(_ index: Int, _ arguments: [String], input: String = "") throws -> Machine.Outcome {
    let outcome = try machines[index].start("coffer", arguments, input: Data(input.utf8), wrapper: Self.limited).wait()
    let code = outcome.exitCode.map { "\($0)" } ?? "signal"
    journal.append(
      "\(name(index)): \(arguments.prefix(3).joined(separator: " ")) \(input) → \(code) "
        + outcome.errors.split(separator: "\n").prefix(6).joined(separator: "\n        "))
    guard let exit = outcome.exitCode, (0...7).contains(exit), exit != 2 else {
      throw Violation(description: "an undocumented end: \(outcome)")
    }
    guard exit == 0 || outcome.errors.hasPrefix("coffer: ") else {
      throw Violation(description: "a failure without a message: \(outcome)")
    }
    return outcome
  }

  // MARK: The end

  /// The host comes to its senses: it shows everything that was ever pushed, and of a forked log one branch.
  private func finish() throws {
    journal.append("--- the host comes to its senses")
    host.hidden = []
    for index in machines.indices {
      host.views[index].isIsolated = false
      isChanged[index] = false
      try host.lose([], for: index)
    }
    let branch = try chosenBranch()
    var outcomes: [Machine.Outcome] = []
    for round in 0..<5 {
      journal.append("--- round \(round)")
      outcomes = []
      var hasPushed = false
      for index in machines.indices {
        try showTruth(to: index, host.honestFiles().merging(branch) { $1 })
        let outcome = try run(index, ["sync"])
        hasPushed = try !host.recordPush(from: index).isEmpty || hasPushed
        outcomes.append(outcome)
      }
      if outcomes.allSatisfy({ $0.exitCode == 0 }), !hasPushed { break }
    }
    try expectLogs(outcomes)
    for index in machines.indices { try expectNamedFork(index, outcomes[index], branch) }
    try expectWrites()
  }

  /// Expects that a machine whose log entries are not on the branch that the host shows names the fork.
  private func expectNamedFork(_ index: Int, _ outcome: Machine.Outcome, _ branch: HostileHost.Files) throws {
    guard !branch.isEmpty, pushedEntries[index].contains(where: { branch[$0.key] != $0.value }) else { return }
    let status = try run(index, ["status"])
    guard outcome.exitCode == 6, outcome.errors.contains("fork"), status.text.lowercased().contains("fork") else {
      throw Violation(
        description: "\(name(index)) has pushed to another branch and names no fork: \(outcome) \(status)")
    }
  }

  /// Returns the files of one branch of a forked log.
  private func chosenBranch() throws -> HostileHost.Files {
    let forked = host.genuine.filter { $0.value.count > 1 }
    guard !forked.isEmpty else { return [:] }
    hasFork = true
    journal.append("the log has forked: \(forked.keys.sorted())")
    let branches = try LogBranchFiles(host, openedBy: machines[0])
    return branches.files(ofBranch: Int.random(in: 0..<branches.count, using: &generator))
  }

  private func expectLogs(_ outcomes: [Machine.Outcome]) throws {
    let states = try machines.map { try $0.storedStatus() }
    let isForked = Set(states.map(\.headPhrase)).count > 1
    let names = outcomes.contains { $0.exitCode == 6 && ($0.errors.contains("fork") || $0.errors.contains("entry")) }
    if isForked {
      guard names else {
        throw Violation(description: "the logs differ, and nobody says so: \(states.map(\.headPhrase)), \(outcomes)")
      }
      return
    }
    for (name, outcome) in zip(Self.machineNames, outcomes) where outcome.exitCode != 0 {
      // The claims of a fork of which one branch was withdrawn may remain.
      guard host.genuine.contains(where: { $0.value.count > 1 }) else {
        throw Violation(description: "\(name) does not recover: \(outcome)")
      }
    }
    for (name, state) in zip(Self.machineNames, states)
    where state.unsyncedChanges + state.pendingRecords + state.refusedRecords > 0 {
      throw Violation(
        description:
          "\(name) has \(state.unsyncedChanges) changes to push, \(state.pendingRecords) pending and \(state.refusedRecords) refused records"
      )
    }
  }

  private func expectWrites() throws {
    for account in Self.accounts {
      let histories = try machines.map { try $0.history(of: account) }
      for (name, history) in zip(Self.machineNames, histories) {
        let missing = (written[account] ?? []).subtracting(history)
        guard missing.isEmpty else {
          throw Violation(description: "\(name) lacks \(missing) of \(account); it has \(history)")
        }
        guard history == histories[0] else {
          throw Violation(description: "\(name) has other versions of \(account) than the laptop: \(histories)")
        }
      }
    }
  }
}

extension Machine {
  /// The values of all versions of an item, nil for a deletion.
  fileprivate func history(of account: String) throws -> Set<String?> {
    let plist = try Data(contentsOf: URL(fileURLWithPath: Machine.entitlements(of: "PhotoPro")))
    let vault = try Vault.open(.bytes(Array(plist)), at: VaultLocation(folder: self.vault))
    let history = try vault.history(of: GenericPassword(service: "service", account: account))
    guard history.damaged.isEmpty else {
      throw HostileHostRun.Violation(description: "\(account) is damaged: \(history.damaged)")
    }
    return Set(try history.versions.map { try vault.value(of: $0).map { String(decoding: $0, as: UTF8.self) } })
  }
}
