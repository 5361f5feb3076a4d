internal import CofferCrypto
internal import CofferFormat
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
internal import CofferVault
internal import Foundation

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
  /// The name of the later epoch's branch that has the objects, UTF-8; nil for the first epoch's.
  let branch: [UInt8]?
  /// The membership by the log.
  let membership: Membership
  /// In ascending order of generation.
  let transportKeys: [TransportKey]

  /// Reads and verifies a folder that ``VaultFolder/incoming`` names.
  ///
  /// - Throws: ``VaultError``: `authenticationFailed` for a wrong vault key, and for one that was replaced; `integrity` for
  ///   objects that are not valid.
  static func read(from folder: URL, vaultKey: VaultKey) throws(VaultError) -> VerifiedDownload {
    try translating { () throws in
      let (genesis, first) = try beginning(of: folder)
      let later = laterRootSlots(of: genesis, in: folder)
      let root = try openRoot(with: vaultKey, in: [first] + later)
      return try verify(folder, genesis, first, later, root: root) { envelopes in
        DownloadedKeys(in: envelopes, openedBy: root.agreement, vault: genesis.vault)
      }
    }
  }

  /// Reads and verifies a folder that ``VaultFolder/incoming`` names, with the keys of a machine that is enrolled in the
  /// vault already.
  ///
  /// - Throws: ``VaultError``: `integrity` for another vault, and for objects that are not valid.
  static func read(from folder: URL, device: DeviceFile) throws(VaultError) -> VerifiedDownload {
    try translating { () throws in
      let (genesis, rootSlot) = try beginning(of: folder)
      guard genesis.hash == device.genesis else {
        throw VaultError(.integrity, "it is another vault than that of this machine's keys")
      }
      let later = laterRootSlots(of: genesis, in: folder)
      let machine = DeviceID(vault: genesis.vault, keys: device.keys.publicKeys)
      return try verify(folder, genesis, rootSlot, later, root: nil, machine: machine) { envelopes in
        // Those of this machine may be of another branch of the log.
        DownloadedKeys(
          in: envelopes, openedBy: device.keys.agreement, and: device.transportKeys, vault: genesis.vault)
      }
    }
  }

  /// Builds a new vault's store from the objects. The downloaded files are deleted.
  ///
  /// - Parameter folder: The folder of the new vault, with the download in `incoming`.
  /// - Throws: ``VaultError``: the errors of the store and of the file system.
  func createStore(in folder: VaultFolder) throws(VaultError) {
    try translatingErrors {
      let store = try Store.create(at: folder.storePath, genesis: genesis.bytes, rootSlot: rootSlot.bytes)
      try store.write { writer in
        try writer.setSetting(.remoteURL, url)
        try remoteOptions.write(to: writer)
        try writer.setSetting(.downloadedBranch, branch)
        for slot in laterRootSlots { try writer.insert(slot, published: []) }
        for (entry, envelope) in log {
          try writer.appendLogEntry(
            sequence: entry.sequence, entry: entry.bytes, envelope: envelope.bytes, published: [])
        }
      }
      FaultPoint.reached(.downloadImported)
      try FileManager.default.removeItem(at: folder.incoming)
    }
  }

  private static func translating(_ body: () throws -> VerifiedDownload) throws(VaultError) -> VerifiedDownload {
    do {
      return try body()
    } catch {
      let error = VaultError(translating: error)
      guard error.code == .integrity else { throw error }
      throw VaultError(
        .integrity, "the repository is a damaged vault: \(error.message)",
        recoverySuggestion: "check the URL; if it is right, the repository was altered: clone from another copy")
    }
  }

  /// Reads the genesis of a download. It tells which vault it claims to be, and proves nothing.
  ///
  /// - Throws: ``VaultError``: `integrity` if there is none.
  static func genesis(of folder: URL) throws(VaultError) -> Genesis {
    try translatingErrors { try Genesis(bytes: readFile(folder.appending(path: "genesis"))) }
  }

  private static func beginning(of folder: URL) throws -> (Genesis, RootSlot) {
    let genesis = try Genesis(bytes: readFile(folder.appending(path: "genesis")))
    return (genesis, try RootSlot.first(bytes: readFile(folder.appending(path: "root")), of: genesis))
  }

  /// Reads the slots of later roots. Whoever can push could add others, which the log does not name.
  private static func laterRootSlots(of genesis: Genesis, in folder: URL) -> [RootSlot] {
    let later = folder.appending(path: "roots")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: later.path(percentEncoded: false))) ?? []
    return names.sorted().compactMap { name in
      try? RootSlot(bytes: readFile(later.appending(path: name)), of: genesis)
    }
  }

  /// Opens the slot that a vault key opens. The log has to name it, unless it is that of the first root.
  private static func openRoot(with vaultKey: VaultKey, in slots: [RootSlot]) throws(VaultError) -> PartyKeys {
    for slot in slots.sorted(by: { $0.generation > $1.generation }) {
      if let root = try? slot.open(with: vaultKey) { return root }
    }
    throw VaultError.otherVaultKey
  }

  private static func verify(
    _ folder: URL, _ genesis: Genesis, _ rootSlot: RootSlot, _ later: [RootSlot], root: PartyKeys?,
    machine: DeviceID? = nil, _ openKeys: ([Envelope]) -> DownloadedKeys
  ) throws -> VerifiedDownload {
    let url = try readFile(folder.appending(path: "url"))
    let files = try logFiles(in: folder)
    let candidates = openKeys(files.compactMap { try? $0.get() })
    var membership = Membership(genesis: genesis)
    var keys: [TransportKey] = []
    var log: [(LogEntry, Envelope)] = []
    for (index, file) in files.enumerated() {
      let sequence = index + 1
      do {
        let envelope = try file.get()
        guard envelope.content == .logEntry else {
          throw VaultError(.integrity, "log entry \(sequence) is something else")
        }
        var fresh: TransportKey?
        let content: [UInt8]
        if envelope.boxes.isEmpty {
          guard let key = keys.first(where: { $0.generation == envelope.generation }) else {
            throw VaultError(.integrity, "log entry \(sequence) is sealed under an unknown transport key")
          }
          content = try envelope.open(with: key.key)
        } else {
          guard Int(envelope.generation) == keys.count + 1, let opened = candidates.open(envelope) else {
            throw VaultError(.integrity, "the transport key in log entry \(sequence) does not open")
          }
          (content, fresh) = (opened.content, opened.key)
        }
        let entry = try LogEntry(bytes: content)
        if case .transportKey(let statement)? = try Statement.parse(entry), let fresh,
          !fresh.wraps(statement.wrappedPrevious, previous: keys.last?.commitment, in: genesis.vault)
        {
          throw VaultError(.integrity, "the transport key in log entry \(sequence) does not wrap the one before")
        }
        try membership.apply(entry)
        if let fresh { keys.append(fresh) }
        log.append((entry, envelope))
      } catch {
        // The new root's keys are needed from here on.
        if let root, let succession = membership.succession(from: root.publicKeys) {
          throw VaultError.replacedVaultKey(succession)
        }
        // A machine that was taken out gets no later keys.
        if let machine, let error = membership.revocationError(of: machine) { throw error }
        // Whoever can push could put a file after the last entry. The sync that follows decides what it is, because it
        // can look at everything else.
        guard !log.isEmpty, sequence == files.count else { throw error }
        break
      }
    }
    guard !log.isEmpty, membership.transportCommitments == keys.map(\.commitment) else {
      throw VaultError(.integrity, "the transport keys are not those that the membership log commits to")
    }
    if let root { try checkRoot(root.publicKeys, in: membership) }
    let branch = try openedBranch(in: folder, by: membership, keys)
    let named = later.filter { slot in membership.successions.contains { slot.isNamed(by: $0.statement) } }
    return VerifiedDownload(
      url: url, remoteOptions: RemoteOptions(in: folder), genesis: genesis, rootSlot: rootSlot, laterRootSlots: named,
      root: root, log: log, branch: branch,
      membership: membership, transportKeys: keys)
  }

  /// Returns the name of the branch of a download; nil for the first epoch's. Throws unless an admin's machine has begun the
  /// epoch: whoever may push could have copied the rest.
  private static func openedBranch(
    in folder: URL, by membership: Membership, _ keys: [TransportKey]
  ) throws -> [UInt8]? {
    guard let file = try? readFile(folder.appending(path: "branch")) else { return nil }
    let branch = String(decoding: file, as: UTF8.self)
    let envelope = try Envelope(bytes: readFile(folder.appending(path: "opened")))
    guard envelope.content == .closing, let key = keys.first(where: { $0.generation == envelope.generation }),
      let closing = try? Closing(bytes: envelope.open(with: key.key)), closing.next.name == branch,
      (try? membership.verify(closing)) != nil
    else { throw VaultError(.integrity, "no admin's machine has begun the epoch of its branch \(branch)") }
    return file
  }

  /// Throws unless keys are those of the present root.
  private static func checkRoot(_ root: PartyPublicKeys, in membership: Membership) throws(VaultError) {
    if let succession = membership.succession(from: root) { throw VaultError.replacedVaultKey(succession) }
    guard membership.root == root else {
      throw VaultError(
        .integrity,
        "its membership log ends at entry \(membership.head.sequence), before the vault key that you gave became the vault's"
      )
    }
  }

  /// The number of files of the log in a download, up to the first that is missing.
  static func logLength(of folder: URL) -> UInt64 {
    var count: UInt64 = 0
    while FileManager.default.fileExists(atPath: folder.appending(path: "log/\(count + 1)").path(percentEncoded: false))
    {
      count += 1
    }
    return count
  }

  /// Reads the files of the log, up to the first that is missing.
  private static func logFiles(in folder: URL) throws -> [Result<Envelope, any Error>] {
    var files: [Result<Envelope, any Error>] = []
    while true {
      let file = folder.appending(path: "log/\(files.count + 1)")
      guard FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) else { return files }
      files.append(Result { try Envelope(bytes: readFile(file)) })
    }
  }

  private static func readFile(_ file: URL) throws -> [UInt8] {
    do throws(RegularFile.Refusal) {
      let file = try RegularFile.open(file.path(percentEncoded: false), followsLinks: false)
      return try file.read(upTo: file.byteCount)
    } catch {
      throw VaultError(.integrity, "it lacks the file \(file.lastPathComponent)")
    }
  }
}
