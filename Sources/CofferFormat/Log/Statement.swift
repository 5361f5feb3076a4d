package import CofferCrypto

/// What a log entry says.
package enum Statement: Hashable, Sendable {
  case transportKey(TransportKeyStatement)
  case device(DeviceStatement)
  case app(AppStatement)
  case principal(PrincipalStatement)
  case groupKey(GroupKeyStatement)
  case grant(GrantStatement)

  /// The kinds' numbers. 7…63 are set aside in FORMAT.md for revocation, succession and invitations.
  package enum Kind: UInt16, Sendable {
    case transportKey = 1
    case device = 2
    case app = 3
    case principal = 4
    case groupKey = 5
    case grant = 6

    /// The kind in errors. Spelled out: asking the runtime for a case's name took a fifth of the time of opening a vault.
    var name: String {
      switch self {
      case .transportKey: "transportKey"
      case .device: "device"
      case .app: "app"
      case .principal: "principal"
      case .groupKey: "groupKey"
      case .grant: "grant"
      }
    }
  }

  var kind: UInt16 {
    let kind: Kind =
      switch self {
      case .transportKey: .transportKey
      case .device: .device
      case .app: .app
      case .principal: .principal
      case .groupKey: .groupKey
      case .grant: .grant
      }
    return kind.rawValue
  }

  var body: [UInt8] {
    var writer = ByteWriter()
    switch self {
    case .transportKey(let statement): statement.write(to: &writer)
    case .device(let statement): statement.write(to: &writer)
    case .app(let statement): statement.write(to: &writer)
    case .principal(let statement): statement.write(to: &writer)
    case .groupKey(let statement): statement.write(to: &writer)
    case .grant(let statement): statement.write(to: &writer)
    }
    return writer.bytes
  }

  /// What `entry` says; nil for a kind that this program does not know.
  package static func parse(_ entry: LogEntry) throws(FormatError) -> Statement? {
    guard let kind = Kind(rawValue: entry.kind) else { return nil }
    var reader = ByteReader(entry.body, object: "log entry \(entry.sequence) (\(kind.name))")
    let statement: Statement
    switch kind {
    case .transportKey: statement = .transportKey(try TransportKeyStatement(from: &reader))
    case .device: statement = .device(try DeviceStatement(from: &reader))
    case .app: statement = .app(try AppStatement(from: &reader))
    case .principal: statement = .principal(try PrincipalStatement(from: &reader))
    case .groupKey: statement = .groupKey(try GroupKeyStatement(from: &reader))
    case .grant: statement = .grant(try GrantStatement(from: &reader))
    }
    try reader.finish()
    return statement
  }
}

/// A generation of the vault-wide key that seals what travels. Its boxes lie in the entry's envelope.
package struct TransportKeyStatement: Hashable, Sendable {
  /// 1 for the first.
  package let generation: UInt32
  /// Commits to the key: whoever opens a box checks it.
  package let commitment: Bytes32
  /// The generation before, sealed under this one; empty for the first.
  package let wrappedPrevious: [UInt8]

  package init(generation: UInt32, commitment: Bytes32, wrappedPrevious: [UInt8]) {
    self.generation = generation
    self.commitment = commitment
    self.wrappedPrevious = wrappedPrevious
  }

  func write(to writer: inout ByteWriter) {
    writer.u32(generation)
    writer.fixed(commitment)
    writer.data(wrappedPrevious)
  }

  init(from reader: inout ByteReader) throws(FormatError) {
    generation = try reader.u32("generation")
    commitment = try reader.bytes32("commitment")
    wrappedPrevious = try reader.data("wrapped previous", cap: 32 + SymmetricKey.overheadByteCount)
  }
}

/// An enrolled machine.
package struct DeviceStatement: Hashable, Sendable {
  /// Seals and signs what the machine syncs.
  package let keys: PartyPublicKeys
  /// Changes membership; nil for a machine that is no admin.
  package let adminKeys: PartyPublicKeys?
  /// What the owner calls it, 1…128 bytes of UTF-8 without control characters.
  package let name: String

  package init(keys: PartyPublicKeys, adminKeys: PartyPublicKeys?, name: String) {
    self.keys = keys
    self.adminKeys = adminKeys
    self.name = name
  }

  func write(to writer: inout ByteWriter) {
    writer.publicKeys(keys)
    writer.optional(adminKeys) { $0.publicKeys($1) }
    writer.string(name)
  }

  init(from reader: inout ByteReader) throws(FormatError) {
    keys = try reader.publicKeys("keys")
    adminKeys = try reader.optional("admin keys") { (reader) throws(FormatError) in
      try reader.publicKeys("admin keys")
    }
    name = try reader.string("name", cap: Limits.deviceNameByteCount)
    guard Self.isValid(name: name) else { throw reader.failure(.invalidValue, "name") }
  }

  /// True for a name of 1…128 bytes without control characters: it is printed on terminals.
  package static func isValid(name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= Limits.deviceNameByteCount
      && !name.unicodeScalars.contains { $0.properties.generalCategory == .control || $0.properties.isBidiControl }
  }
}

/// A registered app and its entitlements, byte for byte as they were presented.
package struct AppStatement: Hashable, Sendable {
  /// The full application identifier.
  package let applicationID: String
  /// What `$(CFBundleIdentifier)` stood for.
  package let bundleID: String
  /// A prefix written in the plist that stands for the team's, if any.
  package let sourcePrefix: String?
  /// Whether the app's credentials lie under the machine's passphrase.
  package let isLocked: Bool
  /// The plist.
  package let entitlements: [UInt8]

  package init(
    applicationID: String, bundleID: String, sourcePrefix: String?, isLocked: Bool, entitlements: [UInt8]
  ) {
    self.applicationID = applicationID
    self.bundleID = bundleID
    self.sourcePrefix = sourcePrefix
    self.isLocked = isLocked
    self.entitlements = entitlements
  }

  func write(to writer: inout ByteWriter) {
    writer.string(applicationID)
    writer.string(bundleID)
    writer.optional(sourcePrefix) { $0.string($1) }
    writer.bool(isLocked)
    writer.data(entitlements)
  }

  init(from reader: inout ByteReader) throws(FormatError) {
    applicationID = try reader.string("application identifier", cap: Limits.identifierByteCount)
    bundleID = try reader.string("bundle identifier", cap: Limits.identifierByteCount)
    sourcePrefix = try reader.optional("source prefix") { (reader) throws(FormatError) in
      try reader.string("source prefix", cap: Limits.identifierByteCount)
    }
    isLocked = try reader.bool("locked")
    entitlements = try reader.data("entitlements", cap: Limits.entitlementsByteCount)
  }
}

/// An app on a device, with keys of its own.
package struct PrincipalStatement: Hashable, Sendable {
  /// The log entry that registered the app.
  package let app: EntryHash
  package let device: DeviceID
  package let keys: PartyPublicKeys

  package init(app: EntryHash, device: DeviceID, keys: PartyPublicKeys) {
    self.app = app
    self.device = device
    self.keys = keys
  }

  func write(to writer: inout ByteWriter) {
    writer.fixed(app.raw)
    writer.fixed(device.raw)
    writer.publicKeys(keys)
  }

  init(from reader: inout ByteReader) throws(FormatError) {
    app = EntryHash(try reader.bytes32("app"))
    device = DeviceID(try reader.bytes16("device"))
    keys = try reader.publicKeys("keys")
  }
}
