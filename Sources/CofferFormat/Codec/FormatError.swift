/// Why bytes are not the object that they should be. It carries positions and names, never contents.
package struct FormatError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong.
  package enum Code: String, Hashable, Sendable {
    /// The bytes end before the object does.
    case truncated
    /// Bytes are left over behind the object.
    case trailingBytes
    /// The first four bytes name another kind of object, or none.
    case otherKind
    /// A format version that this program does not know.
    case unsupportedVersion
    /// A length or count exceeds its cap.
    case tooLarge
    /// A value that the format does not allow, or a second way to write an allowed one.
    case invalidValue
    /// The object is well formed and its signature is not its author's.
    case badSignature
    /// The object belongs to another vault.
    case otherVault
    /// A sealed part does not open with the key that should open it.
    case doesNotOpen
  }

  /// What is wrong.
  package let code: Code
  /// The kind of object, for instance "record".
  package let object: String
  /// The part of the object, for instance "bases".
  package let field: String

  package init(_ code: Code, object: String, field: String) {
    self.code = code
    self.object = object
    self.field = field
  }

  package var description: String {
    let what =
      switch code {
      case .truncated: "ends early"
      case .trailingBytes: "has bytes behind its end"
      case .otherKind: "is no object of this kind"
      case .unsupportedVersion: "has a format version that this program does not know; upgrade Coffer"
      case .tooLarge: "exceeds its size limit"
      case .invalidValue: "has a value that the format does not allow"
      case .badSignature: "carries a signature that is not its author's"
      case .otherVault: "belongs to another vault"
      case .doesNotOpen: "does not open: altered, or sealed for somebody else"
      }
    return "\(object) (\(field)) \(what)"
  }
}
