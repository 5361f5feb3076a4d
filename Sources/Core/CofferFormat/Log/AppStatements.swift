package import CofferCrypto

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

/// An app on a device, with its own keys. The device has made them itself, or the signer has made and delivered them.
package struct PrincipalStatement: Hashable, Sendable {
  /// The log entry that registered the app.
  package let app: EntryHash
  package let device: DeviceID
  package let keys: PartyPublicKeys
  /// The secret keys, sealed to the device's delivery key; nil if the device has made them itself.
  package let delivery: DeliveredKeys?

  package init(app: EntryHash, device: DeviceID, keys: PartyPublicKeys, delivery: DeliveredKeys? = nil) {
    self.app = app
    self.device = device
    self.keys = keys
    self.delivery = delivery
  }

  func write(to writer: inout ByteWriter) {
    writer.fixed(app.raw)
    writer.fixed(device.raw)
    writer.publicKeys(keys)
    writer.optional(delivery) { $0.fixed($1.box) }
  }

  init(from reader: inout ByteReader) throws(FormatError) {
    app = EntryHash(try reader.bytes32("app"))
    device = DeviceID(try reader.bytes16("device"))
    keys = try reader.publicKeys("keys")
    delivery = try reader.optional("delivery") { (reader) throws(FormatError) in try reader.deliveredKeys() }
  }
}
