package import CofferCrypto

/// The identifier of an item: a keyed hash of its class and primary key. Two machines that create the same item offline
/// therefore use the same identifier.
package struct ItemID: Identifier {
  package let raw: Bytes16
  package init(_ raw: Bytes16) { self.raw = raw }
}
