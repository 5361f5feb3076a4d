/// An access group of an app, as a registration states it.
package struct StatedGroup: Hashable, Sendable {
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
}

extension ByteWriter {
  /// Writes the groups of an app in their order.
  package mutating func groups(_ groups: [StatedGroup]) {
    list(groups) { writer, group in
      writer.string(group.name)
      writer.u8(group.source.rawValue)
    }
  }
}

extension ByteReader {
  /// Reads the groups of an app.
  package mutating func groups() throws(FormatError) -> [StatedGroup] {
    try list("groups", cap: Limits.groupsPerApp) { (reader) throws(FormatError) in
      let name = try reader.string("group", cap: Limits.identifierByteCount)
      guard let source = StatedGroup.Source(rawValue: try reader.u8("source")) else {
        throw reader.failure(.invalidValue, "source")
      }
      return StatedGroup(name: name, source: source)
    }
  }
}
