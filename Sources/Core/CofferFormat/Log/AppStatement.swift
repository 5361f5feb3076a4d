/// A registered app and its entitlements, byte for byte as registered.
package struct AppStatement: Hashable, Sendable {
  /// The full application identifier.
  package let applicationID: String
  /// The expansion of `$(CFBundleIdentifier)`.
  package let bundleID: String
  /// A team prefix in the plist that is read as the vault's; nil if there is none.
  package let sourcePrefix: String?
  /// True if the app's credentials are protected by the machine's passphrase.
  package let requiresPassphrase: Bool
  /// The app's groups in its order, the default first, 1…64.
  package let groups: [StatedGroup]
  /// The bytes of the entitlements plist.
  package let entitlements: [UInt8]

  package init(
    applicationID: String, bundleID: String, sourcePrefix: String?, requiresPassphrase: Bool, groups: [StatedGroup],
    entitlements: [UInt8]
  ) {
    self.applicationID = applicationID
    self.bundleID = bundleID
    self.sourcePrefix = sourcePrefix
    self.requiresPassphrase = requiresPassphrase
    self.groups = groups
    self.entitlements = entitlements
  }

  func write(to writer: inout ByteWriter) {
    writer.string(applicationID)
    writer.string(bundleID)
    writer.optional(sourcePrefix) { $0.string($1) }
    writer.bool(requiresPassphrase)
    writer.list(groups)
    writer.data(entitlements)
  }

  init(from reader: inout ByteReader) throws(FormatError) {
    applicationID = try reader.string("application identifier", cap: Limits.identifierByteCount)
    bundleID = try reader.string("bundle identifier", cap: Limits.identifierByteCount)
    sourcePrefix = try reader.optional("source prefix") { (reader) throws(FormatError) in
      try reader.string("source prefix", cap: Limits.identifierByteCount)
    }
    requiresPassphrase = try reader.bool("locked")
    groups = try reader.list("groups", cap: Limits.groupsPerApp)
    entitlements = try reader.data("entitlements", cap: Limits.entitlementsByteCount)
  }
}
