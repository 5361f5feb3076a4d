import CofferCrypto
import CofferFormat
import CofferKeys
import Foundation

@testable import CofferStore

/// A temporary folder with a new store, removed with the object.
final class TemporaryStore: Sendable {
  let folder: String
  let path: String
  let store: Store
  static let genesis: [UInt8] = [1, 2, 3]
  static let rootSlot: [UInt8] = [4, 5]

  init() throws {
    folder = try Self.makeFolder()
    path = folder + "/vault.sqlite"
    store = try Store.create(at: path, genesis: Self.genesis, rootSlot: Self.rootSlot)
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: folder) } catch { print("left behind: \(folder)") }
  }

  static func makeFolder() throws -> String {
    let folder = NSTemporaryDirectory() + "coffer-store-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return folder
  }
}

/// Writes records as an app would, with one vault, one group and one author.
struct SampleRecords: Sendable {
  let vault = VaultID.random()
  let keys: GroupKeys
  let signer = SigningKey.random()
  let author = AuthorID(Bytes16([UInt8](repeating: 7, count: 16)) ?? .zero)

  init(group name: String = "A.group") { keys = GroupKeys.random(group: GroupID(vault: vault, name: name)) }

  var group: GroupID { keys.group }

  func item(_ account: String) -> ItemID {
    keys.itemID(.genericPassword, isSynchronizable: false, attributes: attributes(account))
  }

  func attributes(_ account: String) -> ItemAttributes {
    ItemAttributes([.account: .string(account), .service: .string("service")])
  }

  func token(account: String) -> Token { keys.token(.account, .string(account)) }
  func token(label: String) -> Token { keys.token(.label, .string(label)) }
  var serviceToken: Token { keys.token(.service, .string("service")) }

  /// Returns a version of the item that `account` names.
  func record(
    _ account: String, over bases: [Record] = [], time: Int64 = 1, created: Int64? = nil, value: [UInt8] = [42],
    label: String? = nil,
    isTombstone: Bool = false, successor: ItemID? = nil, isDeviceLocal: Bool = false, group: GroupID? = nil
  ) -> Record {
    var tokens = [token(account: account), serviceToken]
    if let label { tokens.append(token(label: label)) }
    let header = RecordHeader(
      vault: vault, group: group ?? keys.group, generation: 1, item: item(account), itemClass: .genericPassword,
      content: isTombstone ? .tombstone(successor: successor) : .value, isDeviceLocal: isDeviceLocal,
      bases: bases.map(\.hash), time: Timestamp(microseconds: time),
      created: created.map { Timestamp(microseconds: $0) }, author: author,
      tokens: isTombstone ? [] : tokens)
    return Record(
      header: header, attributes: isTombstone ? nil : attributes(account), value: value, keys: keys, signer: signer)
  }
}

extension Store {
  /// Stores records in one transaction.
  func insert(_ records: [Record], validity: StoredValidity = .valid, intoOutbox: Bool = false) throws {
    try write { writer in
      for record in records { try writer.insert(record, validity: validity, intoOutbox: intoOutbox) }
    }
  }

  /// Returns the hashes of an item's heads.
  func heads(_ item: ItemID, _ group: GroupID) throws -> Set<RecordHash> {
    try read { reader in Set(try reader.heads(of: item, in: group).map { try $0.record().hash }) }
  }

  /// Returns the hashes of the records that a look-up by tokens finds.
  func found(_ tokens: [Token], _ group: GroupID) throws -> Set<RecordHash> {
    try read { reader in
      let heads = try reader.places(in: group, matching: tokens, after: nil, limit: .max)
        .flatMap { try reader.heads(of: $0.item, in: group) }
      return Set(try heads.map { try $0.record().hash })
    }
  }
}

extension Store {
  /// Validates all unadmitted records, as a sync does after the log has grown.
  func admitAll() throws {
    try write { writer in
      for row in try writer.unadmittedContents(after: .min, byteLimit: .max) {
        try writer.admit(row.record(), from: row)
      }
    }
  }
}

extension StoreWriter {
  /// Removes a record by its hash.
  func remove(_ hash: RecordHash) throws {
    if let stored = try record(hash) { try remove(row: stored.row) }
  }
}

extension Record {
  /// Returns a copy with a changed bit in the signature, `position` bytes before its end.
  func withFlippedSignature(_ position: Int = 1) throws -> Record {
    var signed = signedBytes
    signed[signed.count - position] ^= 1
    return try Record(signedBytes: signed, sealedAttributes: sealedAttributes, sealedValue: sealedValue)
  }
}
