package import CofferCrypto

/// A blind index entry: a hash of an exact-match attribute and its value, keyed with the group's identity key.
package struct Token: Identifier {
  package let raw: Bytes16
  package init(_ raw: Bytes16) { self.raw = raw }
}
