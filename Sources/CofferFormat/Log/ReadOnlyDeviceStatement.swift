package import CofferCrypto

/// A machine that may only read, until it is revoked: the holder of a headless credential.
package struct ReadOnlyDeviceStatement: Hashable, Sendable {
  /// The keys with which it opens transport keys. Nothing that they sign counts.
  package let keys: PartyPublicKeys
  /// From this time on, no new key is sealed to it.
  package let expires: Timestamp
  /// The owner's name for it: 1…128 bytes of UTF-8 without control characters.
  package let name: String

  package init(keys: PartyPublicKeys, expires: Timestamp, name: String) {
    self.keys = keys
    self.expires = expires
    self.name = name
  }

  func write(to writer: inout ByteWriter) {
    writer.publicKeys(keys)
    writer.i64(expires.microseconds)
    writer.string(name)
  }

  init(from reader: inout ByteReader) throws(FormatError) {
    keys = try reader.publicKeys("keys")
    expires = Timestamp(microseconds: try reader.i64("expires"))
    name = try reader.string("name", cap: Limits.deviceNameByteCount)
    guard DeviceStatement.isValid(name: name) else { throw reader.failure(.invalidValue, "name") }
  }
}
