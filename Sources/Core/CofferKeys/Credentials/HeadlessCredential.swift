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

extension HeadlessCredential {
  private static let first = Array("-----BEGIN COFFER CREDENTIAL-----".utf8)
  private static let last = Array("-----END COFFER CREDENTIAL-----".utf8)
  private static let lineByteCount = 64

  /// Returns the credential as text: base64 between two lines that say what it is. The text is secret; the caller must
  /// wipe it.
  package func secretText() -> [UInt8] {
    var object = secretBytes()
    var encoded = Base64.encode(object)
    defer {
      object.wipe()
      encoded.wipe()
    }
    var text: [UInt8] = []
    text.reserveCapacity(encoded.count + encoded.count / Self.lineByteCount + 80)
    text += Self.first + [UInt8(ascii: "\n")]
    for start in stride(from: 0, to: encoded.count, by: Self.lineByteCount) {
      text += encoded[start..<min(start + Self.lineByteCount, encoded.count)]
      text.append(UInt8(ascii: "\n"))
    }
    text += Self.last + [UInt8(ascii: "\n")]
    return text
  }

  /// Reads text that ``secretText()`` has returned. Systems that keep secrets change line ends and spaces, so these
  /// mean nothing. The caller must wipe the text. Throws `otherKind` for a text that does not begin as one of a
  /// credential, `truncated` for one that does not end so, and `invalidValue` for one that is not base64.
  package init(secretText text: [UInt8]) throws(FormatError) {
    func failure(_ code: FormatError.Code) -> FormatError {
      FormatError(code, object: ObjectKind.headlessCredential.name, field: "text")
    }
    guard let start = text.firstIndex(where: { !Base64.isIgnored($0) }), text[start...].starts(with: Self.first) else {
      throw failure(.otherKind)
    }
    guard let end = text.lastIndex(where: { !Base64.isIgnored($0) }),
      end - start + 1 >= Self.first.count + Self.last.count, text[...end].reversed().starts(with: Self.last.reversed())
    else { throw failure(.truncated) }
    guard var object = Base64.decode(text[(start + Self.first.count)...(end - Self.last.count)]) else {
      throw failure(.invalidValue)
    }
    defer { object.wipe() }
    try self.init(secretBytes: object)
  }
}
