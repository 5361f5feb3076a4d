internal import CofferCrypto
internal import CofferFormat
internal import CofferTrust
internal import Foundation

/// What a clone fetched, verified from the genesis on.
struct VerifiedDownload {
  let url: [UInt8]
  let genesis: Genesis
  let rootSlot: RootSlot
  let root: PartyKeys
  let log: [(entry: LogEntry, envelope: Envelope)]
  let transportKeys: [TransportKey]

  init(_ folder: URL, vaultKey: VaultKey) throws {
    url = try Self.read(folder.appending(path: "url"))
    genesis = try Genesis(bytes: Self.read(folder.appending(path: "genesis")))
    rootSlot = try RootSlot(bytes: Self.read(folder.appending(path: "root")), of: genesis)
    root = try rootSlot.open(with: vaultKey)
    var membership = Membership(genesis: genesis)
    var keys: [TransportKey] = []
    var log: [(LogEntry, Envelope)] = []
    while true {
      let file = folder.appending(path: "log/\(log.count + 1)")
      guard FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) else { break }
      let envelope = try Envelope(bytes: Self.read(file))
      guard envelope.content == .logEntry else {
        throw VaultError(.integrity, "log entry \(log.count + 1) is something else")
      }
      if !envelope.boxes.isEmpty {
        guard Int(envelope.generation) == keys.count + 1,
          let key = TransportKey(
            generation: envelope.generation, boxes: envelope.boxes, openedBy: root.agreement)
        else { throw VaultError(.integrity, "the transport key in log entry \(log.count + 1) does not open") }
        keys.append(key)
      }
      guard let key = keys.first(where: { $0.generation == envelope.generation }) else {
        throw VaultError(.integrity, "log entry \(log.count + 1) is sealed under an unknown transport key")
      }
      let entry = try LogEntry(bytes: envelope.open(with: key.key))
      try membership.apply(entry)
      log.append((entry, envelope))
    }
    guard !log.isEmpty, membership.transportCommitments == keys.map(\.commitment) else {
      throw VaultError(.integrity, "the transport keys are not those that the membership log commits to")
    }
    self.log = log
    transportKeys = keys
  }

  private static func read(_ file: URL) throws -> [UInt8] {
    guard let bytes = FileManager.default.contents(atPath: file.path(percentEncoded: false)) else {
      throw VaultError(.integrity, "it lacks the file \(file.lastPathComponent)")
    }
    return [UInt8](bytes)
  }
}
