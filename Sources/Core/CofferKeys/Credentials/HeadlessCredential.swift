package import CofferCrypto
package import CofferFormat

/// Everything that a machine without prompts needs to read the groups of some apps: the keys of a read-only machine and
/// of its apps, in one text that fits a variable of a CI system.
package struct HeadlessCredential: Sendable {
  /// The keys of an app.
  package struct App: Sendable {
    package let applicationID: String
    package let keys: PartyKeys

    package init(applicationID: String, keys: PartyKeys) {
      self.applicationID = applicationID
      self.keys = keys
    }
  }

  /// The machine's keys and the transport keys.
  package let device: DeviceFile
  /// The end of the log when the credential was created.
  package let seen: LogPosition
  /// The apps, 1 to 64, each once.
  package let apps: [App]

  package init(device: DeviceFile, seen: LogPosition, apps: [App]) {
    self.device = device
    self.seen = seen
    self.apps = apps
  }

  /// Returns the object's bytes. They are secret; the caller must wipe them.
  package func secretBytes() -> [UInt8] {
    // Room for everything: an array that grows leaves copies of the keys behind.
    var writer = ByteWriter(
      reserving: 256 + device.transportKeys.count * 36 + apps.reduce(0) { $0 + 68 + $1.applicationID.utf8.count })
    writer.begin(.headlessCredential)
    writer.fixed(device.genesis.raw)
    writer.secret(device.keys.secret)
    seen.write(to: &writer)
    writer.list(device.transportKeys)
    writer.list(apps) { writer, app in
      writer.string(app.applicationID)
      writer.secret(app.keys.secret)
    }
    return writer.bytes
  }

  /// Reads the object's bytes. The caller must wipe them.
  package init(secretBytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(secretBytes, object: ObjectKind.headlessCredential.name)
    try reader.begin(.headlessCredential)
    let genesis = EntryHash(try reader.bytes32("genesis"))
    let keys = try reader.partyKeys("keys")
    seen = try LogPosition(from: &reader)
    let transportKeys: [TransportKey] = try reader.ascendingList(
      "transport keys", cap: Limits.transportKeys, by: \.generation)
    apps = try reader.list("apps", cap: Limits.appsPerHeadlessCredential) { (reader) throws(FormatError) in
      let name = try reader.string("application identifier", cap: Limits.identifierByteCount)
      return App(applicationID: name, keys: try reader.partyKeys("app's keys"))
    }
    guard !apps.isEmpty, Set(apps.map { Array($0.applicationID.utf8) }).count == apps.count else {
      throw reader.failure(.invalidValue, "apps")
    }
    try reader.finish()
    // The machine writes no items that stay on it.
    device = DeviceFile(genesis: genesis, keys: keys, localSecret: .random(count: 32), transportKeys: transportKeys)
  }
}
