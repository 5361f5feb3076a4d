/// An access group of an app, as a registration states it.
package struct StatedGroup: Hashable, Coded {
  /// The entitlement that names a group.
  package enum Source: UInt8, Sendable {
    case keychainAccessGroups = 1
    case applicationIdentifier = 2
    case applicationGroups = 3
    /// The app reads the group and may not write it.
    case readOnlyAccessGroups = 4
  }

  /// The group's full name.
  package let name: String
  package let source: Source

  package init(name: String, source: Source) {
    self.name = name
    self.source = source
  }

  package func write(to writer: inout ByteWriter) {
    writer.string(name)
    writer.u8(source.rawValue)
  }

  package init(from reader: inout ByteReader) throws(FormatError) {
    name = try reader.string("group", cap: Limits.identifierByteCount)
    guard let source = Source(rawValue: try reader.u8("source")) else { throw reader.failure(.invalidValue, "source") }
    self.source = source
  }
}
