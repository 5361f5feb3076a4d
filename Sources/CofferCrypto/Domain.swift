/// What a hash, signature or derivation is for: 16 bytes that keep each use apart from every other.
///
/// For hashes it is BLAKE2b's personalisation; for signatures it stands before the signed digest. The last character
/// is the version.
package struct Domain: Sendable, Hashable {
  let bytes: [UInt8]

  /// `name` is 1…16 ASCII characters, padded with zero bytes.
  package init(_ name: StaticString) {
    let text = Array(name.description.utf8)
    precondition(text.count <= 16, "a domain has at most 16 bytes")
    bytes = text + [UInt8](repeating: 0, count: 16 - text.count)
  }
}
