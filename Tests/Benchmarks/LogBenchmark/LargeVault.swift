import Coffer
import CofferCrypto
import CofferFormat
import CofferKeys
import CofferStore
import CofferTrust
import CofferVault
import Foundation

/// A vault in a folder, with one item and a long membership log.
struct LargeVault {
  static let plist = Array(
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict>
    <key>application-identifier</key><string>$(AppIdentifierPrefix)com.example.benchmark</string>
    </dict></plist>
    """.utf8)
  static let item = GenericPassword(service: "service.example.com", account: "account")
  static let value = "value"

  let genesis: Genesis
  let entries: [LogEntry]

  /// Creates the vault, and appends entries until its log has `entryCount`, and the app has seen them.
  init(at folder: URL, entryCount: Int) throws {
    let location = VaultLocation(folder: folder)
    try VaultCreation.create(at: location, deviceName: "benchmark", protection: .none) { (_) throws(VaultError) in }
    let local = try LocalVault.open(VaultFolder(location))
    let registered = try AppRegistration(local, passphrase: .unavailable)
      .register(.init(plist: Self.plist, source: "the benchmark", bundleID: nil, sourcePrefix: nil))
    try registered.credential?.install(in: local)
    try Vault.open(.bytes(Self.plist), at: location).set(Self.value, for: Self.item)

    let membership = try local.membership()
    let added = entryCount - Int(membership.head.sequence)
    if added > 0 { try Self.append(added, to: local) }
    genesis = membership.genesis
    entries = try local.store.read { reader in try reader.logEntries(after: 0).map { try LogEntry(bytes: $0.entry) } }
    _ = try VaultCheck.open(VaultFolder(location)).repair()
    // The app notes what it has seen, so that it need not verify these entries again.
    _ = try Vault.open(.bytes(Self.plist), at: location)
  }

  private static func append(_ count: Int, to local: LocalVault) throws {
    let file = local.folder.adminFile
    let admin = try file.read { try AdminFile(secretBytes: $0) }.open(passphrase: nil)
    guard let transportKey = try local.deviceFile().transportKeys.last else { return }
    var log = try SampleLog(after: local.membership(), admin: admin)
    try log.grow(to: count)
    try local.store.write { writer in
      for entry in log.entries.prefix(count) {
        let envelope = Envelope(
          sealing: entry.bytes, as: .logEntry, key: transportKey.key, generation: transportKey.generation, boxes: [])
        try writer.appendLogEntry(
          sequence: entry.sequence, entry: entry.bytes, envelope: envelope.bytes, published: nil)
      }
    }
  }
}
