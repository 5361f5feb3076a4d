internal import CofferCrypto
package import CofferFormat

extension HeadlessCredential {
  private static let first = Array("-----BEGIN COFFER CREDENTIAL-----".utf8)
  private static let last = Array("-----END COFFER CREDENTIAL-----".utf8)
  private static let lineByteCount = 64

  /// Returns the credential as text: base64 between two lines that say what it is. The text is secret; the caller must
  /// wipe it.
  package func secretText() -> [UInt8] {
    var object = secretBytes()
    var encoded = Base64.encode(object)
    defer {
      object.wipe()
      encoded.wipe()
    }
    var text: [UInt8] = []
    text.reserveCapacity(encoded.count + encoded.count / Self.lineByteCount + 80)
    text += Self.first + [UInt8(ascii: "\n")]
    for start in stride(from: 0, to: encoded.count, by: Self.lineByteCount) {
      text += encoded[start..<min(start + Self.lineByteCount, encoded.count)]
      text.append(UInt8(ascii: "\n"))
    }
    text += Self.last + [UInt8(ascii: "\n")]
    return text
  }

  /// Reads text that ``secretText()`` has returned. Systems that keep secrets change line ends and spaces, so these
  /// mean nothing. The caller must wipe the text. Throws `otherKind` for a text that does not begin as one of a
  /// credential, `truncated` for one that does not end so, and `invalidValue` for one that is not base64.
  package init(secretText text: [UInt8]) throws(FormatError) {
    func failure(_ code: FormatError.Code) -> FormatError {
      FormatError(code, object: ObjectKind.headlessCredential.name, field: "text")
    }
    guard let start = text.firstIndex(where: { !Base64.isIgnored($0) }), text[start...].starts(with: Self.first) else {
      throw failure(.otherKind)
    }
    guard let end = text.lastIndex(where: { !Base64.isIgnored($0) }),
      end - start + 1 >= Self.first.count + Self.last.count, text[...end].reversed().starts(with: Self.last.reversed())
    else { throw failure(.truncated) }
    guard var object = Base64.decode(text[(start + Self.first.count)...(end - Self.last.count)]) else {
      throw failure(.invalidValue)
    }
    defer { object.wipe() }
    try self.init(secretBytes: object)
  }
}
