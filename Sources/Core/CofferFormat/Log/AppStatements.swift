package import CofferCrypto

/// A registered app and its entitlements, byte for byte as registered.
package struct AppStatement: Hashable, Fielded {
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

  package init(_ known: AppStatement?, _ coder: inout FieldCoder) throws(FormatError) {
    applicationID = try coder.string(known?.applicationID, "application identifier", cap: Limits.identifierByteCount)
    bundleID = try coder.string(known?.bundleID, "bundle identifier", cap: Limits.identifierByteCount)
    sourcePrefix = try coder.optional(known?.sourcePrefix, "source prefix") { (coder, known) throws(FormatError) in
      try coder.string(known, "source prefix", cap: Limits.identifierByteCount)
    }
    requiresPassphrase = try coder.bool(known?.requiresPassphrase, "locked")
    groups = try coder.list(known?.groups, "groups", cap: Limits.groupsPerApp)
    entitlements = try coder.data(known?.entitlements, "entitlements", cap: Limits.entitlementsByteCount)
  }
}

/// An access group of an app, as a registration states it.
package struct StatedGroup: Hashable, Fielded {
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

  package init(_ known: StatedGroup?, _ coder: inout FieldCoder) throws(FormatError) {
    name = try coder.string(known?.name, "group", cap: Limits.identifierByteCount)
    source = try coder.choice(known?.source, "source")
  }
}

/// An app on a device, with its own keys. The device has made them itself, or the signer has made and delivered them.
package struct PrincipalStatement: Hashable, Fielded {
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

  package init(_ known: PrincipalStatement?, _ coder: inout FieldCoder) throws(FormatError) {
    app = try coder.hash(known?.app, "app")
    device = try coder.id(known?.device, "device")
    keys = try coder.publicKeys(known?.keys, "keys")
    delivery = try coder.optional(known?.delivery, "delivery") { (coder, known) throws(FormatError) in
      try DeliveredKeys(known, &coder)
    }
  }
}
