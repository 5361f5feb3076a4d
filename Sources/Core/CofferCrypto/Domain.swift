/// The purpose of a hash, signature or derivation: 16 bytes that separate each use from every other.
///
/// For a hash it is BLAKE2b's personalisation; for a signature it precedes the signed digest. The last character is the
/// version.
package struct Domain: Sendable, Hashable {
  let bytes: [UInt8]

  /// Creates a domain from a name of 1…16 ASCII characters, padded with zero bytes.
  package init(_ name: StaticString) {
    let text = Array(name.description.utf8)
    precondition(text.count <= 16, "a domain has at most 16 bytes")
    bytes = text + [UInt8](repeating: 0, count: 16 - text.count)
  }
}
