import CofferCrypto
import CofferFormatSamples

@testable import CofferFormat
import CofferKeys

/// The source of the vectors. The files are authoritative: this code runs only to write new ones.
struct VectorCatalog {
  let fixture: SampleObjects
  private var vectors: [String: Vector] = [:]

  /// Returns every vector by name, newly sealed.
  static func make() throws -> [String: Vector] {
    var catalog = try VectorCatalog(fixture: SampleObjects())
    try catalog.addVault()
    try catalog.addLog()
    try catalog.addRevocations()
    try catalog.addDismissals()
    try catalog.addDeviceNames()
    try catalog.addGroupRequirements()
    try catalog.addResolutions()
    try catalog.addSuccessions()
    try catalog.addLaterKeys()
    try catalog.addRoles()
    try catalog.addReadOnlyMachines()
    try catalog.addInvitations()
    try catalog.addRecords()
    try catalog.addTransport()
    try catalog.addStreamNames()
    try catalog.addEpochs()
    try catalog.addBackups()
    try catalog.addLocalFiles()
    try catalog.addTeams()
    try catalog.addReceipts()
    return catalog.vectors
  }

  private init(fixture: SampleObjects) { self.fixture = fixture }

  mutating func add(
    _ name: String, _ object: String, _ bytes: [UInt8], _ inputs: [String: String] = [:], expect: String = "accept"
  ) throws {
    let vector = try Vector(object, bytes, inputs: inputs)
    guard vector.expect == expect else { throw MalformedVector(what: "\(name): \(vector.expect)") }
    vectors[name] = vector
  }

  /// Returns `bytes` with one byte changed by `change`.
  func altered(_ bytes: [UInt8], at index: Int, to byte: UInt8) -> [UInt8] {
    var bytes = bytes
    bytes[index] = byte
    return bytes
  }

  private mutating func addVault() throws {
    let genesis = fixture.genesis.bytes
    try add("genesis", "genesis", genesis)
    try add("genesis-truncated", "genesis", genesis.dropLast(), expect: "truncated")
    try add("genesis-trailing-byte", "genesis", genesis + [0], expect: "trailingBytes")
    try add("genesis-other-kind", "genesis", altered(genesis, at: 0, to: 0), expect: "otherKind")
    try add("genesis-newer-version", "genesis", altered(genesis, at: 4, to: 2), expect: "unsupportedVersion")
    try add("genesis-bad-signature", "genesis", altered(genesis, at: 5, to: ~genesis[5]), expect: "badSignature")

    let slot = fixture.rootSlot.bytes
    let inputs = ["genesis": hexadecimal(genesis), "vault key": SampleObjects.vaultKeyText]
    try add("root-slot", "root slot", slot, inputs)
    try add(
      "root-slot-other-vault-key", "root slot", slot, inputs.merging(["vault key": VaultKey.random().string]) { $1 },
      expect: "authenticationFailed")
    try add("root-slot-other-vault", "root slot", altered(slot, at: 5, to: ~slot[5]), inputs, expect: "otherVault")
    try add(
      "root-slot-version-1", "root slot", altered(slot, at: 4, to: 1), inputs, expect: "unsupportedVersion")
    let foreign = RootSlot(
      genesis: fixture.genesis, generation: 1, root: try fixture.laterRoot(), under: fixture.vaultKey)
    try add("root-slot-of-another-first-root", "root slot", foreign.bytes, inputs, expect: "invalidValue")
    let complete = fixture.completeRootSlot.bytes
    try add("root-slot-with-transport-key", "root slot", complete, inputs)
    try add(
      "root-slot-with-transport-key-other-vault-key", "root slot", complete,
      inputs.merging(["vault key": VaultKey.random().string]) { $1 }, expect: "authenticationFailed")
    try add(
      "root-slot-with-transport-key-as-version-2", "root slot", altered(complete, at: 4, to: 2), inputs,
      expect: "trailingBytes")
    // The last byte of the sealed key precedes the signature.
    let end = complete.count - 65
    try add(
      "root-slot-with-altered-transport-key", "root slot", altered(complete, at: end, to: ~complete[end]), inputs,
      expect: "badSignature")

    let text = SampleObjects.vaultKeyText
    try add("vault-key", "vault key", [], ["text": text])
    let typed = text.lowercased().split(separator: "-").joined(separator: " ").replacing("0", with: "o")
    try add("vault-key-as-typed", "vault key", [], ["text": typed.replacing("1", with: "l")])
    let mistyped = text.replacing("000G", with: "000H")
    try add("vault-key-mistyped", "vault key", [], ["text": mistyped], expect: "mistyped")
    try add("vault-key-too-short", "vault key", [], ["text": String(text.dropLast())], expect: "malformed")
    try add("vault-key-with-u", "vault key", [], ["text": text.replacing("000G", with: "000U")], expect: "malformed")
    // The capital of the long s is an S of ASCII.
    try add("vault-key-with-long-s", "vault key", [], ["text": text.replacing("8C", with: "ſC")], expect: "malformed")
  }

  func inputs(of signer: PartyKeys) -> [String: String] {
    ["verifying key": signer.signing.publicKey.raw.hex, "root's secret keys": hex(fixture.root.secret)]
  }

  private mutating func addLog() throws {
    let names = [
      "transport-key", "principal", "group-key", "grant", "withdrawal", "app-with-groups", "revocation",
      "group-key-renewal", "transport-key-2", "dismissal",
      "device-with-delivery-key", "member", "appointment", "principal-by-delivery", "succession",
      "read-only-device", "resolution", "invited-device", "device-name", "group-requirement",
    ]
    let entries = try fixture.entries()
    for (index, entry) in entries.enumerated() {
      var inputs = inputs(of: entry.signer == .root ? fixture.root : fixture.admin)
      if [4, 12].contains(entry.kind) { inputs["delivery key"] = hex(fixture.delivery.secret) }
      try add("log-\(names[index])", "log entry", entry.bytes, inputs)
    }
    let second = entries[1].bytes
    let admin = inputs(of: fixture.admin)
    try add("log-signed-by-another", "log entry", second, inputs(of: fixture.device), expect: "badSignature")
    // kind 5, vault 16, sequence 8, previous 32, time 8, followed by the signer.
    try add("log-sequence-zero", "log entry", altered(second, at: 28, to: 0), admin, expect: "invalidValue")
    try add("log-signer-unknown", "log entry", altered(second, at: 69, to: 3), admin, expect: "invalidValue")
    try add("log-root-with-identifier", "log entry", altered(second, at: 69, to: 1), admin, expect: "invalidValue")
    try add("log-critical-is-two", "log entry", altered(second, at: 88, to: 2), admin, expect: "invalidValue")
    try add("log-body-too-large", "log entry", altered(second, at: 89, to: 255), admin, expect: "tooLarge")

    let unknown = signed(entry: entries[1], kind: 64, isCritical: false, body: [1, 2, 3])
    try add("log-unknown-uncritical", "log entry", unknown, admin)
    let oddLength = signed(entry: entries[1], kind: 14, isCritical: false, body: [UInt8](repeating: 7, count: 33))
    try add("log-withdrawal-of-other-length", "log entry", oddLength, admin)
    for (what, name) in [("escape", "\u{1b}[2J"), ("separator", "a\u{2029}b")] {
      let named = DeviceStatement(
        keys: fixture.device.publicKeys, role: .member(delivery: fixture.delivery.publicKey), name: name)
      try add(
        "log-device-name-with-\(what)", "log entry",
        signed(entry: entries[1], kind: 9, isCritical: true, body: Statement.device(named).body), admin,
        expect: "invalidValue")
    }
    try add(
      "log-body-trailing-byte", "log entry",
      signed(entry: entries[1], kind: 4, isCritical: true, body: entries[1].body + [0]), admin,
      expect: "trailingBytes")
    // Numbers of statements that no released version has written.
    for number: UInt16 in [2, 3, 16, 17, 18] {
      try add(
        "log-reserved-statement-\(number)", "log entry",
        signed(entry: entries[1], kind: number, isCritical: true, body: [1, 2, 3]), admin)
    }
  }

  /// Returns an entry at the position of `entry` with another statement.
  func signed(entry: LogEntry, kind: UInt16, isCritical: Bool, body: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    // All bytes before the statement's number.
    writer.fixed(Array(entry.bytes[..<86]))
    writer.u16(kind)
    writer.bool(isCritical)
    writer.data(body)
    let digest = Hash.digest(writer.bytes, domain: .logEntry)
    writer.fixed(fixture.admin.signing.sign(digest, domain: .logEntry).bytes)
    return writer.bytes
  }

  private mutating func addRecords() throws {
    try add("attributes", "attributes", fixture.attributes.bytes)
    let pair = ItemAttributes([.account: .number(1), .service: .number(2)]).bytes
    let swapped = pair[..<9] + pair[22...] + pair[9..<22]
    try add("attributes-descending", "attributes", Array(swapped), expect: "invalidValue")
    let twice = pair[..<9] + pair[9..<22] + pair[9..<22]
    try add("attributes-twice", "attributes", Array(twice), expect: "invalidValue")
    let text = ItemAttributes([.account: .string("a")]).bytes
    try add("attributes-no-utf-8", "attributes", altered(text, at: text.count - 1, to: 255), expect: "invalidValue")
    try add("attributes-huge-count", "attributes", altered(text, at: 5, to: 255), expect: "tooLarge")

    let inputs = inputs(of: fixture.principal).merging(["group keys": hex(fixture.groupKeys.secret)]) { $1 }
    let record = fixture.record()
    try add("record", "record", record.bytes, inputs)
    let second = fixture.record(created: Timestamp(microseconds: fixture.time.microseconds - 1)).bytes
    try add("record-2", "record", second, inputs)
    // The version follows the length of the signed part and the kind.
    try add("record-value-1", "record", altered(second, at: 8, to: 1), inputs, expect: "invalidValue")
    try add("record-3", "record", altered(second, at: 8, to: 3), inputs, expect: "unsupportedVersion")
    try add(
      "record-tombstone-2", "record", altered(fixture.tombstone().bytes, at: 8, to: 2), inputs, expect: "invalidValue")
    try add("record-empty-value", "record", fixture.record(value: []).bytes, inputs)
    try add("record-tombstone", "record", fixture.tombstone().bytes, inputs)
    try add("record-tombstone-successor", "record", fixture.tombstone(successor: ItemID(.zero)).bytes, inputs)
    let local = ["local secret": hex(fixture.deviceFile.localSecret)]
    let deviceLocal = fixture.deviceLocalRecord().bytes
    try add("record-device-local", "record", deviceLocal, inputs.merging(local) { $1 })
    let otherSecret = ["local secret": hex(SecretBytes.random(count: 32))]
    try add(
      "record-device-local-elsewhere", "record", deviceLocal, inputs.merging(otherSecret) { $1 }, expect: "doesNotOpen")
    let otherKeys = hex(GroupKeys.random(group: fixture.group).secret)
    try add(
      "record-other-group-keys", "record", record.bytes, inputs.merging(["group keys": otherKeys]) { $1 },
      expect: "doesNotOpen")
    let end = record.bytes.count - 1
    try add(
      "record-value-altered", "record", altered(record.bytes, at: end, to: ~record.bytes[end]), inputs,
      expect: "invalidValue")
    let exchanged = try exchangedValue(of: fixture.record(value: [1]), with: record)
    try add("record-value-of-another", "record", exchanged, inputs, expect: "invalidValue")
    for (name, attributes) in [
      ("record-of-another-item", ItemAttributes([.account: .string("jane"), .service: .string("elsewhere")])),
      ("record-of-its-twin-that-syncs", fixture.attributes.merging(ItemAttributes([.synchronizable: .number(1)]))),
    ] {
      let record = Record(
        header: fixture.header(), attributes: attributes, value: [1], keys: fixture.groupKeys,
        signer: fixture.principal.signing)
      try add(name, "record", record.bytes, inputs, expect: "invalidValue")
    }
    // Length 4, kind 5, vault, group, generation, item, class, content, local, count of bases, followed by two bases.
    var swappedBases = record.bytes
    let first = record.bytes[71..<103]
    swappedBases.replaceSubrange(71..<135, with: record.bytes[103..<135] + first)
    try add("record-bases-descending", "record", swappedBases, inputs, expect: "invalidValue")

    let next = fixture.groupKeys.later(generation: fixture.groupKeys.generation + 1)
    try add(
      "group-keys", "group keys", next.wrap(fixture.groupKeys),
      [
        "vault": fixture.vault.description, "name": fixture.groupName, "generation": "2",
        "group keys": hex(next.secret),
      ])
  }

  private func exchangedValue(of record: Record, with other: Record) throws -> [UInt8] {
    var writer = ByteWriter()
    writer.data(record.signedBytes)
    writer.data(record.sealedAttributes)
    writer.data(other.sealedValue)
    return writer.bytes
  }

  private mutating func addTransport() throws {
    let first = fixture.segment()
    let second = Segment(
      vault: fixture.vault, device: fixture.deviceID, stream: fixture.stream, after: first.position,
      log: first.log, seen: [], group: fixture.group, records: [], key: fixture.device.signing)
    let inputs = inputs(of: fixture.device)
    try add("segment", "segment", first.bytes, inputs)
    try add("segment-second-and-empty", "segment", second.bytes, inputs)
    // kind 5, vault, device, stream, followed by the number.
    try add(
      "segment-number-without-previous", "segment", altered(first.bytes, at: 60, to: 1), inputs,
      expect: "invalidValue")
    let end = first.bytes.count - 1
    try add(
      "segment-record-altered", "segment", altered(first.bytes, at: end, to: ~first.bytes[end]), inputs,
      expect: "invalidValue")
    try add("segment-of-another-device", "segment", first.bytes, self.inputs(of: fixture.admin), expect: "badSignature")

    let key = fixture.transport.key
    let transport = ["transport key": hex(key.secret)]
    let sealed = Envelope(sealing: second.bytes, as: .segment, key: key, generation: 1).bytes
    try add("envelope-segment", "envelope", sealed, transport)
    try addSealedEntries()
    try addMixedKeys()
    try add("envelope-other-content", "envelope", altered(sealed, at: 5, to: 1), transport, expect: "doesNotOpen")
    try add("envelope-unknown-content", "envelope", altered(sealed, at: 5, to: 9), transport, expect: "invalidValue")
    try add(
      "envelope-of-other-size", "envelope", envelope(plainByteCount: 1000), transport, expect: "invalidValue")
    try add(
      "envelope-padded-to-the-next-size", "envelope", envelope(plainByteCount: 2048 - 14 - 4 - 40), transport,
      expect: "invalidValue")
    try add(
      "envelope-padded-with-ones", "envelope", envelope(plainByteCount: 1024 - 14 - 4 - 40, padding: 1), transport,
      expect: "invalidValue")
    let large = Envelope(sealing: [UInt8](repeating: 7, count: 5000), as: .segment, key: key, generation: 1).bytes
    try add("envelope-padme", "envelope", large, transport)
  }

  private mutating func addSealedEntries() throws {
    let (key, boxes) = (fixture.transport.key, fixture.transportBoxes)
    let entries = try fixture.entries()
    func sealed(_ object: [UInt8], as content: Envelope.Content = .logEntry, boxes: [[UInt8]] = []) -> [UInt8] {
      Envelope(sealing: object, as: content, key: key, generation: 1, boxes: boxes).bytes
    }
    let device = ["device's secret keys": hex(fixture.device.secret)]
    let transport = ["transport key": hex(key.secret)]
    try add("envelope-introducing-key", "envelope", sealed(entries[0].bytes, boxes: boxes), device)
    try add("envelope-log-entry", "envelope", sealed(entries[1].bytes), transport)
    for (name, object, content, boxes, inputs) in [
      ("introducing-key-without-boxes", entries[0].bytes, Envelope.Content.logEntry, [], transport),
      ("introducing-key-with-boxes-in-another-order", entries[0].bytes, .logEntry, boxes.reversed(), device),
      ("introducing-key-with-a-box-less", entries[0].bytes, .logEntry, Array(boxes.suffix(1)), device),
      ("log-entry-with-boxes", entries[1].bytes, .logEntry, boxes, transport),
      ("segment-with-boxes", fixture.segment().bytes, .segment, boxes, transport),
    ] {
      try add("envelope-\(name)", "envelope", sealed(object, as: content, boxes: boxes), inputs, expect: "invalidValue")
    }
  }

  /// Entries that introduce a first transport key without boxes, and the key after it.
  private mutating func addMixedKeys() throws {
    let device = ["device's secret keys": hex(fixture.device.secret)]
    let first = ["first transport key": hex(fixture.transport.key.secret)]
    func envelope(_ key: TransportKey, _ boxes: [[UInt8]]) throws -> [UInt8] {
      let wrapped = key.generation == 1 ? [] : key.wrap(fixture.transport, in: fixture.vault)
      let entry = try LogEntry(
        vault: fixture.vault, after: fixture.entries()[0].position, time: fixture.time, signer: .root,
        key: fixture.root.signing,
        statement: .transportKey(
          TransportKeyStatement(
            generation: key.generation, commitment: key.commitment, wrappedPrevious: wrapped, boxes: boxes)))
      return Envelope(sealing: entry.bytes, as: .logEntry, key: key.key, generation: key.generation, boxes: boxes).bytes
    }
    try add(
      "envelope-first-key-without-boxes", "envelope", envelope(fixture.transport, []),
      ["transport key": hex(fixture.transport.key.secret)])
    let next = fixture.transport.next(mixing: fixture.transport)
    try add(
      "envelope-later-key-without-boxes", "envelope", envelope(next.key, []),
      ["transport key": hex(next.key.key.secret)], expect: "invalidValue")
    let boxes = try [fixture.root, fixture.device].map { try $0.publicKeys.box.seal(next.boxed) }
    let mixed = try envelope(next.key, boxes)
    try add("envelope-introducing-mixed-key", "envelope", mixed, device.merging(first) { $1 })
    try add("envelope-introducing-mixed-key-without-the-first", "envelope", mixed, device, expect: "doesNotOpen")
    let boxed = fixture.transport.next(mixing: nil)
    try add(
      "envelope-introducing-boxed-key", "envelope",
      envelope(boxed.key, [try fixture.device.publicKeys.box.seal(boxed.boxed)]), device.merging(first) { $1 })
  }

  /// Returns an envelope around three bytes with the given padding.
  private func envelope(plainByteCount: Int, padding: UInt8 = 0) -> [UInt8] {
    var writer = ByteWriter()
    writer.begin(.envelope)
    writer.u8(2)
    writer.u32(1)
    writer.u32(0)
    var plain = ByteWriter()
    plain.data([1, 2, 3])
    plain.fixed([UInt8](repeating: padding, count: plainByteCount - plain.bytes.count))
    writer.data(fixture.transport.key.seal(plain.bytes, associated: writer.bytes))
    return writer.bytes
  }

  private mutating func addLocalFiles() throws {
    try add("credential", "credential", fixture.credential().secretBytes(), ["vault": fixture.vault.description])
    try addLockedCredentials()
    try addProtectedValues()
    try add("device-file", "device file", fixture.deviceFile.secretBytes())
    let genesis = fixture.genesis.hash
    try add("admin-file", "admin file", AdminFile(genesis: genesis, key: fixture.admin, passphrase: nil).secretBytes())
    let passphrase = ["passphrase": "korrektes Pferd"]
    let file = try AdminFile(
      genesis: genesis, key: fixture.admin, passphrase: SecretText(copying: "korrektes Pferd".utf8), cost: .floor
    ).secretBytes()
    try add("admin-file-passphrase", "admin file", file, passphrase)
    try add("admin-file-wrong-passphrase", "admin file", file, ["passphrase": "x"], expect: "authenticationFailed")
    // kind 5, genesis 32, protection 1, passes 4, memory 4.
    try add("admin-file-no-pass", "admin file", altered(file, at: 41, to: 0), passphrase, expect: "invalidValue")
    try add("admin-file-cheap", "admin file", altered(file, at: 44, to: 0), passphrase, expect: "invalidValue")
    try add("admin-file-costly", "admin file", altered(file, at: 42, to: 1), passphrase, expect: "invalidValue")
  }

  private mutating func addLockedCredentials() throws {
    let inputs = ["passphrase": "korrektes Pferd", "vault": fixture.vault.description]
    let locked = try fixture.credential(passphrase: SecretText(copying: "korrektes Pferd".utf8))
    let bytes = locked.secretBytes()
    try add("credential-passphrase", "credential", bytes, inputs)
    // The log position that the app has seen advances without the passphrase.
    let next = LogPosition(sequence: 9, hash: fixture.genesis.hash)
    try add("credential-advanced", "credential", locked.advanced(to: next).secretBytes(), inputs)
    try add(
      "credential-wrong-passphrase", "credential", bytes, inputs.merging(["passphrase": "x"]) { $1 },
      expect: "authenticationFailed")
    // kind 5, genesis 32, length 4, followed by the application's identifier.
    try add(
      "credential-of-another-app", "credential", altered(bytes, at: 42, to: 0x5A), inputs,
      expect: "authenticationFailed")
    // kind 5, genesis 32, identifier 32, device 16, position 40, followed by the author 16 and the protection.
    let open = try fixture.credential().secretBytes()
    try add(
      "credential-of-another-author", "credential", altered(open, at: 125, to: ~open[125]), inputs,
      expect: "authenticationFailed")
    try add("credential-protection-2", "credential", altered(open, at: 141, to: 2), inputs, expect: "invalidValue")
    try add("credential-truncated", "credential", open.dropLast(), inputs, expect: "truncated")
    try add("credential-trailing-byte", "credential", open + [0], inputs, expect: "trailingBytes")
  }

  private mutating func addProtectedValues() throws {
    let item = [
      "passphrase": "korrektes Pferd", "vault": fixture.vault.description, "class": "genp",
      "persistent reference": String(repeating: "07", count: 16),
    ]
    let protection = try ValueProtection(password: SecretText(copying: "korrektes Pferd".utf8), cost: .floor)
    func sealed(_ value: [UInt8]) throws -> [UInt8] { try protection.seal(value, for: fixture.protectedItem()).bytes }
    try add("protected-value-empty", "protected value", sealed([]), item)
    let bytes = try sealed([7])
    // kind 5, passes 4, memory 4: a cost that is allowed for other slots and not for a value.
    try add(
      "protected-value-passes", "protected value", altered(bytes, at: 8, to: 9), item, expect: "invalidValue")
    try add(
      "protected-value-memory", "protected value", altered(bytes, at: 10, to: 8), item, expect: "invalidValue")
    try add(
      "protected-value-wrong-password", "protected value", bytes, item.merging(["passphrase": "x"]) { $1 },
      expect: "authenticationFailed")
    try add(
      "protected-value-altered", "protected value", altered(bytes, at: bytes.count - 1, to: bytes[bytes.count - 1] ^ 1),
      item, expect: "authenticationFailed")
    try add("protected-value-long", "protected value", bytes + [0], item, expect: "trailingBytes")

    let bound = try sealed([UInt8]("geheim".utf8))
    try add("protected-value-2", "protected value", bound, item)
    for (name, input, other) in [
      ("item", "persistent reference", String(repeating: "08", count: 16)),
      ("class", "class", "inet"), ("vault", "vault", VaultID(.zero).description),
    ] {
      try add(
        "protected-value-2-of-another-\(name)", "protected value", bound, item.merging([input: other]) { $1 },
        expect: "authenticationFailed")
    }
    try add("protected-value-1", "protected value", altered(bound, at: 4, to: 1), item, expect: "unsupportedVersion")
    try add("protected-value-3", "protected value", altered(bound, at: 4, to: 3), item, expect: "unsupportedVersion")
  }

  func hex(_ secret: SecretBytes) -> String { unsafe secret.withBytes { unsafe hexadecimal($0) } }
}
