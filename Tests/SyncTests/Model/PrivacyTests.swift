import Coffer
import CofferExchange
import CofferTestSupport
import CofferVault
import Foundation
import Logging
import Testing

/// What a host learns from the repository alone: it watches random syncs and guesses what they were about.
@Suite struct PrivacyTests {
  /// The number of syncs: 1,000 in a soak run (COFFER_SOAK=1).
  private static let syncCount = SeededGenerator.isSoak ? 1_000 : 80

  /// What one sync was about.
  private struct Secret {
    var app = 0
    var group = 0
    var hasLongName = 0
    var isNew = 0
    var machine = 0
    var changeCount = 0
    var groupCount = 0
  }

  private struct Writer {
    let vaults: [Vault]
    let local: LocalVault
    let machine: Machine

    init(_ machine: Machine) throws {
      self.machine = machine
      let opened = try ["one", "two"].map {
        try Vault.open(applicationNamed: "com.example.\($0)", in: VaultFolder(machine.vault))
      }
      vaults = opened.map(\.vault)
      local = opened[0].local
    }

    func sync() throws {
      _ = try Synchronizer(local, logger: Logger(label: "privacy") { _ in SwiftLogNoOpLogHandler() }).run()
    }
  }

  private let remote: TemporaryRemote
  private let writers: [Writer]
  private static let shared = "com.example.both"

  init() throws {
    remote = try TemporaryRemote()
    let laptop = try Machine()
    let key = try laptop.makeVault(name: "laptop")
    for name in ["one", "two"] { #expect(try laptop.addApp(name, groups: ["~\(Self.shared)"]).exitCode == 0) }
    try laptop.coffer("remote", "set", remote.path)
    try laptop.sync()
    let desktop = try Machine()
    try desktop.coffer("clone", "--name", "desktop", "--no-passphrase", "--vault-key-file", key, remote.path)
    try laptop.sync()
    writers = try [laptop, desktop].map { try Writer($0) }
  }

  /// The files that the last commit of the vault's branch added.
  private func lastSync() throws -> ObservedSync {
    let lines = try remote.git("diff-tree", "-r", "--no-commit-id", "vault-1").split(separator: "\n").map {
      $0.split(whereSeparator: \.isWhitespace).map(String.init)
    }
    let sizes = try lines.map { Int(try remote.git("cat-file", "-s", $0[3]).trimmingCharacters(in: .newlines)) ?? 0 }
    return ObservedSync(
      sizes: sizes, streams: Set(lines.compactMap { $0[5].split(separator: "/").dropFirst().first.map(String.init) }))
  }

  /// Makes random changes on one machine, and syncs it. All choices have the same distribution of names and values.
  ///
  /// - Parameters:
  ///   - generator: Makes the choices.
  ///   - hasOther: Whether an item of a second group changes, too.
  /// - Returns: The choices.
  /// - Throws: The errors of the vault and of the sync.
  private func change(_ generator: inout SeededGenerator, withOtherGroup hasOther: Bool) throws -> Secret {
    var secret = Secret()
    secret.machine = Int.random(in: 0..<2, using: &generator)
    secret.app = Int.random(in: 0..<2, using: &generator)
    secret.group = Int.random(in: 0..<2, using: &generator)
    secret.changeCount = Int.random(in: 1...3, using: &generator)
    secret.groupCount = 1
    secret.hasLongName = Int.random(in: 0..<2, using: &generator)
    secret.isNew = Int.random(in: 0..<2, using: &generator)
    let vault = writers[secret.machine].vaults[secret.app]
    let group = try #require(
      secret.group == 0 ? vault.accessGroups.first : vault.accessGroups.first { $0.name.hasSuffix(Self.shared) })
    for change in 0..<secret.changeCount {
      let number = secret.isNew == 1 ? Int.random(in: 1_000...9_999, using: &generator) : change
      let name = "\(number)".padding(toLength: secret.hasLongName == 1 ? 40 : 4, withPad: "-", startingAt: 0)
      let value = generator.bytes(Int.random(in: 8...32, using: &generator))
      try vault.set(Data(value), for: GenericPassword(service: "privacy", account: name), in: group.name)
    }
    if hasOther {
      let other = try #require(vault.accessGroups.first { $0.name != group.name })
      try vault.set("value", for: GenericPassword(service: "privacy", account: "other"), in: other.name)
      secret.groupCount = 2
    }
    try writers[secret.machine].sync()
    return secret
  }

  @Test func `The repository tells which machine wrote, how much and to how many groups, and nothing else`() throws {
    var generator = SeededGenerator(seed: SeededGenerator.runSeed)
    var syncs: [(seen: ObservedSync, secret: Secret)] = []
    // The first ones create the items that later ones change, and bring the machines to the same state.
    var startsWithOther = false
    for index in 0..<(Self.syncCount + 8) {
      // One of two: if one answer were more frequent by chance, even a guess that is always right could not be told
      // from it.
      if index.isMultiple(of: 2) { startsWithOther = generator.chance(50) }
      let secret = try change(&generator, withOtherGroup: startsWithOther == index.isMultiple(of: 2))
      let seen = try lastSync()
      if index >= 8 { syncs.append((seen, secret)) }
      try writers[1 - secret.machine].sync()
    }
    func guess(_ question: (Secret) -> Int, where isAsked: (Secret) -> Bool = { _ in true }) -> Guess {
      Guess(syncs.filter { isAsked($0.secret) }.map { ($0.seen, question($0.secret)) })
    }
    let hidden: [(String, Guess)] = [
      ("the app", guess(\.app)), ("the group", guess(\.group)),
      ("whether names are long", guess(\.hasLongName) { $0.changeCount == 1 && $0.groupCount == 1 }),
      ("whether items are new", guess(\.isNew) { $0.changeCount == 1 && $0.groupCount == 1 }),
    ]
    for (what, guess) in hidden { #expect(!guess.isInformed, "\(generator): \(what), \(guess)") }
    // What the threat table admits, so that the guesses above are known to be able to find something.
    var admitted = [("the number of groups", guess(\.groupCount))]
    if Self.syncCount == 1_000 {
      admitted.append(("the number of changes", guess(\.changeCount) { $0.groupCount == 1 }))
    }
    for (what, guess) in admitted { #expect(guess.isInformed, "\(generator): \(what), \(guess)") }
    let streams = Dictionary(grouping: syncs, by: \.seen.streams).mapValues { Set($0.map(\.secret.machine)) }
    #expect(streams.count == 2 && streams.values.allSatisfy { $0.count == 1 })
    if Self.syncCount == 1_000 {
      for (what, guess) in hidden + admitted { print("privacy: \(what): \(guess.accuracy), by chance \(guess.chance)") }
    }
  }

  @Test func `The order of the segments of a sync does not tell their groups`() throws {
    let vault = writers[0].vaults[0]
    let groups = try vault.accessGroups.map(\.name)
    #expect(groups.count == 2)
    var isFirstLarger: Set<Bool> = []
    for _ in 0..<32 {
      for (group, size) in zip(groups, [40_000, 8]) {
        let value = Data(repeating: 7, count: size)
        try vault.set(value, for: GenericPassword(service: "privacy", account: "account"), in: group)
      }
      try writers[0].sync()
      let sizes = try lastSync().sizes
      try #require(sizes.count == 2 && sizes[0] != sizes[1], "\(sizes)")
      isFirstLarger.insert(sizes[0] > sizes[1])
    }
    #expect(isFirstLarger.count == 2)
  }

  @Test func `All commits of all machines have the same author, time and message, and no name is in the repository`()
    throws
  {
    var generator = SeededGenerator(seed: SeededGenerator.runSeed)
    for index in 0..<6 { _ = try change(&generator, withOtherGroup: index.isMultiple(of: 2)) }
    let commits = try remote.git("log", "--all", "--format=%an|%ae|%at|%cn|%ce|%ct|%B").split(separator: "\n")
    #expect(Set(commits).count == 1, "\(Set(commits))")
    let everything = try remote.everything()
    for word in ["privacy", "example", "laptop", "desktop", "both"] {
      #expect(everything.range(of: Data(word.utf8)) == nil, "\(word)")
    }
  }
}
