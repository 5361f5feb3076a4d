internal import CofferCrypto
package import CofferFormat

extension TeamID {
  /// Creates the identifier from a vault's genesis: the first ten base32 characters of its hash.
  package init(genesis: EntryHash) {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
    var bits: UInt64 = 0
    for byte in genesis.raw.bytes.prefix(7) { bits = bits << 8 | UInt64(byte) }
    // Ten characters encode the first 50 of these 56 bits.
    let characters = (0..<10).map { alphabet[Int(bits >> UInt64(51 - 5 * $0) & 31)] }
    guard let team = TeamID(String(decoding: characters, as: UTF8.self)) else {
      preconditionFailure("ten base32 characters are not a team identifier")
    }
    self = team
  }
}
