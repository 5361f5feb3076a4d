internal import CofferFormat
package import CofferStore
package import CofferTrust
internal import CofferCrypto

extension Membership {
  /// Adds the lists of records that the revocations of the log name, as far as the store has them. One that is damaged
  /// counts as missing.
  package mutating func addRecordLists(from access: borrowing some StoreAccess & ~Copyable) throws(StoreError) {
    var found: [RecordList] = []
    for (_, hash) in missingRecordLists {
      guard let bytes = try access.object(.recordList(hash)), let list = try? RecordList(bytes: bytes),
        list.hash == hash,
        list.vault == vault
      else { continue }
      found.append(list)
    }
    add(found)
  }
}
