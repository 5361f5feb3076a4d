internal import Coffer
internal import CofferCrypto
internal import CofferFormat
internal import CofferPlatform
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
internal import CofferVault

/// The objects that a clone has downloaded, verified from the genesis on.
struct VerifiedDownload {
  let url: [UInt8]
  let remoteOptions: RemoteOptions
  let genesis: Genesis
  /// The slot of the first root.
  let rootSlot: RootSlot
  /// The slots of later roots that the log names, as far as they were downloaded.
  let laterRootSlots: [RootSlot]
  /// Root's keys; nil if the objects were verified without the vault key.
  let root: PartyKeys?
  let log: [(entry: LogEntry, envelope: Envelope)]
  /// The name of the later epoch's branch on which the vault is, UTF-8; nil for the first epoch's.
  let branch: [UInt8]?
  /// The membership by the log.
  let membership: Membership
  /// In ascending order of generation.
  let transportKeys: [TransportKey]

  /// Reads and verifies a folder that ``VaultFolder/incoming`` names. Throws `authenticationFailed` for a wrong vault
  /// key, and for one that was replaced.
  static func read(from folder: URL, vaultKey: VaultKey) throws(VaultError) -> VerifiedDownload {
    try translating { () throws in
      var hasSlots = false
      for candidate in try candidates(in: folder) {
        guard !candidate.rootSlots.isEmpty else { continue }
        hasSlots = true
        // The log has to name the slot, unless it is that of the first root.
        let opened = candidate.rootSlots.lazy.compactMap { slot in
          try? (root: slot.open(with: vaultKey), first: slot.firstKey(openedWith: vaultKey))
        }.first
        if let opened {
          return try candidate.verify(
            openedBy: opened.root.agreement, and: [opened.first].compactMap(\.self), root: opened.root)
        }
      }
      guard hasSlots else { throw VaultError.damagedRepository("it lacks the file root, or has another one") }
      throw VaultError.otherVaultKey
    }
  }

  /// Reads and verifies a folder that ``VaultFolder/incoming`` names, with the keys of a machine that is enrolled in
  /// the vault already. `head` is the entry that the answer to an invitation names.
  static func read(
    from folder: URL, device: DeviceFile, head: EntryHash? = nil
  ) throws(VaultError) -> VerifiedDownload {
    try translating { () throws in
      guard let candidate = try candidates(in: folder).first(where: { $0.genesis.hash == device.genesis }) else {
        throw VaultError(
          .integrity, "the repository holds another vault than that of this machine's keys",
          recoverySuggestion: "check the URL")
      }
      return try candidate.verify(
        openedBy: device.keys.agreement, and: device.transportKeys, device: device, head: head)
    }
  }

  /// Reads the log before an entry, and what belongs to it, from the store of a machine, with the transport keys that
  /// this part of the log introduces.
  static func read(
    from local: LocalVault, before sequence: UInt64, options: RemoteOptions
  ) throws(VaultError) -> VerifiedDownload {
    try translatingErrors {
      try local.store.read { reader in
        let genesis = try Genesis(bytes: reader.genesis())
        var membership = Membership(genesis: genesis)
        var log: [(entry: LogEntry, envelope: Envelope)] = []
        for stored in try reader.logEntries(after: 0) where stored.sequence < sequence {
          let entry = try LogEntry(bytes: stored.entry)
          try membership.apply(entry)
          log.append((entry, try Envelope(bytes: stored.envelope)))
        }
        let slots = try RootSlots.read(from: reader, in: membership)
        let branch = try reader.epochBranch()
        let generation = membership.transportGeneration
        return VerifiedDownload(
          url: try reader.setting(.remoteURL) ?? [], remoteOptions: options, genesis: genesis,
          rootSlot: try RootSlot.first(bytes: reader.rootSlot(), of: genesis),
          laterRootSlots: (slots.former.map(\.slot) + [slots.current].compactMap(\.self)).filter { $0.generation > 1 },
          root: nil, log: log, branch: branch == .first ? nil : Array(branch.name.utf8), membership: membership,
          transportKeys: try AdminSession.transportKeys(of: local, in: reader).filter { $0.generation <= generation })
      }
    }
  }

  /// Checks that the log has reached the entry of a head phrase, if there is one: only a person can tell that a host
  /// withholds the end of the log. Throws `integrity` if the log has no such entry.
  func check(_ headPhrase: Phrase?) throws(VaultError) {
    try Self.check(headPhrase, in: log.lazy.map(\.entry), membership)
  }

  /// Checks a log that was imported, as ``check(_:)`` checks one that is downloaded.
  static func check(
    _ headPhrase: Phrase?, in log: some Sequence<LogEntry>, _ membership: Membership
  ) throws(VaultError) {
    guard let headPhrase, !log.contains(where: { Phrase($0.hash.raw) == headPhrase }) else { return }
    throw VaultError(
      .integrity,
      "the membership log of the repository, whose head phrase is \(membership.headPhrase), has no entry with the head phrase \(headPhrase)",
      recoverySuggestion:
        "sync a machine of the vault and try again; if that does not help, the repository was set back: do not trust its host"
    )
  }

  /// Builds a new vault's store from the objects in `incoming`. The downloaded files are deleted.
  func createStore(in folder: VaultFolder) throws(VaultError) {
    try writeStore(at: folder.storePath)
    try translatingErrors {
      FaultPoint.reached(.downloadImported)
      try removeTree(folder.incoming.path(percentEncoded: false))
    }
  }

  /// Writes a store with these objects. `isRebuilt` is for a machine that has lost its store.
  func writeStore(at path: String, isRebuilt: Bool = false) throws(VaultError) {
    try translatingErrors {
      let store = try Store.create(at: path, genesis: genesis.bytes, rootSlot: rootSlot.bytes)
      try store.write { writer in
        try writer.setSetting(.remoteURL, url)
        try remoteOptions.write(to: writer)
        try writer.setSetting(.downloadedBranch, branch)
        // Only after the next import it is known which records are in no segment.
        if isRebuilt { try writer.setSetting(.awaitedRepair, Setting.rejoined) }
        for slot in laterRootSlots { try writer.insert(slot, published: []) }
        for (entry, envelope) in log {
          try writer.appendLogEntry(
            sequence: entry.sequence, entry: entry.bytes, envelope: envelope.bytes, published: [])
        }
      }
    }
  }

  /// A machine that is none of the vault, which reads with the keys of the log what others have sent.
  var reader: DeviceFile {
    DeviceFile(
      genesis: genesis.hash, keys: .random(), localSecret: .random(count: 32), transportKeys: transportKeys)
  }

  private static func translating(_ body: () throws -> VerifiedDownload) throws(VaultError) -> VerifiedDownload {
    do {
      return try body()
    } catch let error as FormatError where error.code != .unsupportedVersion {
      throw .damagedRepository(error.problem)
    } catch {
      throw VaultError(translating: error)
    }
  }

  /// Returns the genesis of each vault of which a download has a branch. They tell which vaults they claim to be, and
  /// prove nothing. Throws `integrity` if there is none.
  static func geneses(of folder: URL) throws(VaultError) -> [Genesis] {
    try translatingErrors { try candidates(in: folder).map(\.genesis) }
  }

  /// The vaults of which a download has branches: an attacker with push access could have added a branch of another
  /// one.
  private static func candidates(in folder: URL) throws -> [DownloadedVault] {
    let incoming = IncomingFiles(folder)
    let files = incoming.files()
    func contents(where isWanted: (String) -> Bool) -> [[UInt8]] {
      files.filter { isWanted($0.path) }.compactMap { incoming.content(named: $0.name) }
    }
    var geneses: [EntryHash: Genesis] = [:]
    for bytes in contents(where: { $0 == "genesis" }) {
      if let genesis = try? Genesis(bytes: bytes) { geneses[genesis.hash] = genesis }
    }
    guard !geneses.isEmpty else { throw VaultError.damagedRepository("its genesis is missing or damaged") }
    let slots = Dictionary(grouping: contents { $0 == "root" || $0.hasPrefix("roots/") }) { RootSlot.genesis(in: $0) }
    let openings = contents { $0 == "opened" }
    let log = IncomingLog(folder, files)
    let url = [UInt8](try Data(contentsOf: folder.appending(path: "url")))
    return geneses.values.sorted { $0.hash.raw < $1.hash.raw }.map { genesis in
      DownloadedVault(
        url: url, remoteOptions: RemoteOptions(in: folder), genesis: genesis, rootSlots: slots[genesis.hash] ?? [],
        branches: incoming.branches(), openings: openings, log: log)
    }
  }

  /// The number of entries that the branches of a download have, up to the first of which none has a file.
  static func logLength(of folder: URL) -> UInt64 {
    let paths = IncomingFiles(folder).files().map(\.path).filter { $0.hasPrefix("log/") }
    let numbers = Set(paths.compactMap { $0.split(separator: "/").last.flatMap { UInt64($0) } })
    var count: UInt64 = 0
    while numbers.contains(count + 1) { count += 1 }
    return count
  }
}

extension VaultError {
  /// The error for a download that is not a sound vault.
  static func damagedRepository(_ problem: String) -> VaultError {
    VaultError(
      .integrity, "the repository is a damaged vault: \(problem)",
      recoverySuggestion: "check the URL; if it is right, the repository was altered: clone from another copy")
  }
}
