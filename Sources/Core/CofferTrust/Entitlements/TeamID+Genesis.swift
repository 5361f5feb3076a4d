package import CofferCrypto
package import CofferFormat

extension TeamID {
  /// Creates the identifier from a vault's genesis: the first ten base32 characters of its hash.
  package init(genesis: EntryHash) { self.init(hash: genesis.raw) }

  /// Creates the label of a vendor's team key: the first ten base32 characters of its hash. Teams are compared by their
  /// keys.
  package init(vendor key: VerifyingKey) { self.init(hash: Hash.digest(key.raw.bytes, domain: .team)) }

  private init(hash: Bytes32) {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
    var bits: UInt64 = 0
    for byte in hash.bytes.prefix(7) { bits = bits << 8 | UInt64(byte) }
    // Ten characters encode the first 50 of these 56 bits.
    let characters = (0..<10).map { alphabet[Int(bits >> UInt64(51 - 5 * $0) & 31)] }
    guard let team = TeamID(String(decoding: characters, as: UTF8.self)) else {
      preconditionFailure("ten base32 characters are not a team identifier")
    }
    self = team
  }
}
