internal import CofferCrypto
internal import CofferFormat
internal import CofferTrust
internal import CofferVault
internal import Foundation

/// The objects that a clone has downloaded, verified from the genesis on.
struct VerifiedDownload {
  let url: [UInt8]
  let genesis: Genesis
  let rootSlot: RootSlot
  /// Root's keys; nil if the objects were verified without the vault key.
  let root: PartyKeys?
  let log: [(entry: LogEntry, envelope: Envelope)]
  /// In ascending order of generation.
  let transportKeys: [TransportKey]

  /// Reads and verifies a folder that ``VaultFolder/incoming`` names.
  ///
  /// - Throws: ``VaultError``: `authenticationFailed` for a wrong vault key; `integrity` for objects that are not
  ///   valid.
  static func read(from folder: URL, vaultKey: VaultKey) throws(VaultError) -> VerifiedDownload {
    try translating { () throws in
      let (genesis, rootSlot) = try beginning(of: folder)
      let root = try rootSlot.open(with: vaultKey)
      return try verify(folder, genesis, rootSlot, root: root) { generation, boxes in
        TransportKey(generation: generation, boxes: boxes, openedBy: root.agreement)
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
      return try verify(folder, genesis, rootSlot, root: nil) { generation, boxes in
        device.transportKey(generation)
          ?? TransportKey(generation: generation, boxes: boxes, openedBy: device.keys.agreement)
      }
    }
  }

  private static func translating(_ body: () throws -> VerifiedDownload) throws(VaultError) -> VerifiedDownload {
    do {
      return try body()
    } catch let error as CryptoError where error == .authenticationFailed {
      throw VaultError.otherVaultKey
    } catch {
      let error = VaultError(translating: error)
      guard error.code == .integrity else { throw error }
      throw VaultError(
        .integrity, "the repository is a damaged vault: \(error.message)",
        recoverySuggestion: "check the URL; if it is right, the repository was altered: clone from another copy")
    }
  }

  private static func beginning(of folder: URL) throws -> (Genesis, RootSlot) {
    let genesis = try Genesis(bytes: readFile(folder.appending(path: "genesis")))
    return (genesis, try RootSlot.first(bytes: readFile(folder.appending(path: "root")), of: genesis))
  }

  private static func verify(
    _ folder: URL, _ genesis: Genesis, _ rootSlot: RootSlot, root: PartyKeys?,
    _ transportKey: (UInt32, [[UInt8]]) -> TransportKey?
  ) throws -> VerifiedDownload {
    let url = try readFile(folder.appending(path: "url"))
    var membership = Membership(genesis: genesis)
    var keys: [TransportKey] = []
    var log: [(LogEntry, Envelope)] = []
    func hasEntry(_ sequence: Int) -> Bool {
      FileManager.default.fileExists(atPath: folder.appending(path: "log/\(sequence)").path(percentEncoded: false))
    }
    while hasEntry(log.count + 1) {
      let sequence = log.count + 1
      do {
        let envelope = try Envelope(bytes: readFile(folder.appending(path: "log/\(sequence)")))
        guard envelope.content == .logEntry else {
          throw VaultError(.integrity, "log entry \(sequence) is something else")
        }
        var known = keys
        if !envelope.boxes.isEmpty {
          guard Int(envelope.generation) == keys.count + 1,
            let key = transportKey(envelope.generation, envelope.boxes)
          else { throw VaultError(.integrity, "the transport key in log entry \(sequence) does not open") }
          known.append(key)
        }
        guard let key = known.first(where: { $0.generation == envelope.generation }) else {
          throw VaultError(.integrity, "log entry \(sequence) is sealed under an unknown transport key")
        }
        let entry = try LogEntry(bytes: envelope.open(with: key.key))
        try membership.apply(entry)
        keys = known
        log.append((entry, envelope))
      } catch {
        // Whoever can push could put a file after the last entry. The sync that follows decides what it is, because it
        // can look at everything else.
        guard !log.isEmpty, !hasEntry(sequence + 1) else { throw error }
        break
      }
    }
    guard !log.isEmpty, membership.transportCommitments == keys.map(\.commitment) else {
      throw VaultError(.integrity, "the transport keys are not those that the membership log commits to")
    }
    return VerifiedDownload(
      url: url, genesis: genesis, rootSlot: rootSlot, root: root, log: log, transportKeys: keys)
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

extension VaultError {
  /// The error for the vault key of another vault.
  static let otherVaultKey = VaultError(
    .authenticationFailed, "this vault key does not open this vault",
    recoverySuggestion: "use the key that `coffer init` printed for this very vault")
}
