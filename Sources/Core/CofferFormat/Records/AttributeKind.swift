/// The type of an attribute's value (apple-oss-distributions/Security, SecItemSchema).
package enum AttributeKind: Sendable {
  /// Text or bytes, compared by bytes.
  case blob
  /// A number. Text that is not a number stays text, such as the names of protocols.
  case number
  case date
}
