internal import CofferCrypto
package import CofferFormat

extension ItemAttributes {
  /// The 16 random bytes of the persistent reference; empty for an item that was never stored.
  package var identifier: [UInt8] { self[.persistentReference]?.matchBytes ?? [] }

  /// The attributes without dates and reference, which are not part of the item: a copy of it must be able to name another
  /// one.
  var ownAttributes: ItemAttributes { removing([.created, .modified, .persistentReference]) }

  /// Adds a persistent reference if there is none of 16 bytes.
  package mutating func addPersistentReference() {
    if identifier.count != 16 { self[.persistentReference] = .data(Random.bytes(count: 16)) }
  }
}
