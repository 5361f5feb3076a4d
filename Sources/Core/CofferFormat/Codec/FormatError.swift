/// The reason why bytes are not the expected object. It contains positions and names, never contents.
package struct FormatError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of error.
  package enum Code: String, Hashable, Sendable {
    /// The bytes end before the object does.
    case truncated
    /// Bytes follow the end of the object.
    case trailingBytes
    /// The first four bytes are those of another kind of object, or of none.
    case otherKind
    /// The format version is unknown to this program.
    case unsupportedVersion
    /// A length or count exceeds its limit.
    case tooLarge
    /// A value is not allowed by the format, or is allowed but not written in its canonical form.
    case invalidValue
    /// The object is well formed, but its author did not make the signature.
    case badSignature
    /// The object belongs to another vault.
    case otherVault
    /// A sealed part cannot be opened with the expected key.
    case doesNotOpen
  }

  package let code: Code
  /// The kind of object, such as "record".
  package let object: String
  /// The part of the object, such as "bases".
  package let field: String

  package init(_ code: Code, object: String, field: String) {
    self.code = code
    self.object = object
    self.field = field
  }

  package var description: String { code == .unsupportedVersion ? "\(problem); upgrade Coffer" : problem }

  /// What is wrong, without what to do.
  package var problem: String {
    let what =
      switch code {
      case .truncated: "ends early"
      case .trailingBytes: "has bytes after its end"
      case .otherKind: "is not an object of this kind"
      case .unsupportedVersion: "has a format version that this program does not know"
      case .tooLarge: "exceeds its size limit"
      case .invalidValue: "has a value that the format does not allow"
      case .badSignature: "has a signature that is not its author's"
      case .otherVault: "belongs to another vault"
      case .doesNotOpen: "cannot be opened: it was altered or sealed for another recipient"
      }
    return "\(object) (\(field)) \(what)"
  }
}
