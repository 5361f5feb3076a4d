import CofferCrypto
import CofferFormatSamples
import CofferTrust

@testable import CofferFormat
import CofferKeys

/// Reads a vector's bytes with its inputs and names every field that was read.
struct VectorReader {
  let vector: Vector

  /// Returns the name that a vector expects for an error.
  static func code(of error: any Error) -> String {
    switch error {
    case let error as FormatError: error.code.rawValue
    case let error as CryptoError: "\(error)"
    case let error as VaultKey.ParseError: "\(error)"
    case let error as EntitlementsError: error.code.rawValue
    default: "unexpected: \(error)"
    }
  }

  /// Returns the fields of the object; throws what reading throws.
  func fields() throws -> [String: String] {
    let object = try bytes(vector.bytes)
    return switch vector.object {
    case "genesis": fields(of: try Genesis(bytes: object))
    case "root slot": try fields(of: RootSlot(bytes: object, of: Genesis(bytes: input("genesis"))))
    case "vault key": try vaultKeyFields()
    case "log entry": try fields(of: LogEntry(bytes: object))
    case "record list": fields(of: try RecordList(bytes: object))
    case "transport key": try transportKeyFields(wrapped: object)
    case "envelope": try fields(of: Envelope(bytes: object))
    case "attributes": try fields(of: ItemAttributes(bytes: object))
    case "record": try fields(of: Record(bytes: object))
    case "segment": try fields(of: Segment(bytes: object))
    case "stream name": try fields(ofStreamName: object)
    case "checkpoint": try fields(of: Checkpoint(bytes: object))
    case "snapshot chunk": try fields(of: SnapshotChunk(bytes: object))
    case "closing": try fields(of: Closing(bytes: object))
    case "backup statement": try fields(of: BackupStatement(bytes: object))
    case "backup key": try fields(of: BackupKeyFile(secretBytes: object))
    case "group keys": try groupKeyFields(wrapped: object)
    case "credential": try fields(of: Credential(secretBytes: object))
    case "protected value": try fields(of: ProtectedValue(bytes: object))
    case "device file": fields(of: try DeviceFile(secretBytes: object))
    case "admin file": try fields(of: AdminFile(secretBytes: object))
    case "delivery file": try fields(of: DeliveryFile(secretBytes: object))
    case "invitation code": try invitationCodeFields()
    case "pairing token": try pairingTokenFields()
    case "invitation request": try invitationRequestFields(of: object)
    case "invitation answer": try invitationAnswerFields(of: object)
    case "invitations file": try fields(of: InvitationsFile(secretBytes: object))
    case "pending enrolment": try fields(of: PendingEnrolment(secretBytes: object))
    case "team key": try teamKeyFields()
    case "receipt": try fields(of: ReceiptStatement(bytes: object), verifiedBy: verifyingKey())
    case "receipt text": try fields(of: ReceiptStatement(text: text("text")), verifiedBy: nil)
    case "buyer": try buyerFields(of: Genesis(bytes: object))
    case "shop key": try shopKeyFields()
    case "team plist": try teamFields(ofPlist: object)
    case "kept vault key": try fields(ofKeptVaultKey: object)
    case "headless credential": fields(of: try HeadlessCredential(secretText: object))
    default: throw MalformedVector(what: "object \(vector.object)")
    }
  }

  func input(_ name: String) throws -> [UInt8] { try bytes(text(name)) }

  func text(_ name: String) throws -> String {
    guard let text = vector.inputs[name] else { throw MalformedVector(what: "no input \(name)") }
    return text
  }

  func secret(_ name: String) throws -> SecretBytes { SecretBytes(copying: try input(name)[...]) }

  func verifyingKey() throws -> VerifyingKey {
    guard let raw = Bytes32(try input("verifying key")) else { throw MalformedVector(what: "verifying key") }
    return VerifyingKey(raw)
  }

  private func groupKeys(_ group: GroupID, _ generation: UInt32) throws -> GroupKeys {
    try GroupKeys(group: group, generation: generation, secret: secret("group keys"))
  }

  func require(_ isSigned: Bool) throws(FormatError) {
    guard isSigned else { throw FormatError(.badSignature, object: vector.object, field: "signature") }
  }

  private func fields(of genesis: Genesis) -> [String: String] {
    [
      "vault": genesis.vault.description, "created": "\(genesis.created.microseconds)", "root": hex(genesis.root),
      "first device": hex(genesis.firstDevice), "first admin": hex(genesis.firstAdmin), "hash": genesis.hash.raw.hex,
      "first device identifier": DeviceID(vault: genesis.vault, keys: genesis.firstDevice).description,
      "first admin identifier": AuthorID(vault: genesis.vault, keys: genesis.firstAdmin).description,
    ]
  }

  private func fields(of slot: RootSlot) throws -> [String: String] {
    let root = try slot.open(with: VaultKey(parsing: text("vault key")))
    let first = try slot.firstKey(openedWith: VaultKey(parsing: text("vault key")))
    return [
      "genesis": slot.genesis.raw.hex, "secret": hex(root.secret), "generation": "\(slot.generation)",
      "root": hex(slot.root), "hash": slot.hash.hex,
    ].merging(first.map { ["transport key": hex($0.key.secret)] } ?? [:]) { $1 }
  }

  private func vaultKeyFields() throws -> [String: String] {
    let key = try VaultKey(parsing: text("text"))
    return ["text": key.string, "sealing key": hex(key.sealing.secret)]
  }

  private func fields(of entry: LogEntry) throws -> [String: String] {
    try require(entry.isSigned(by: verifyingKey()))
    let signer =
      switch entry.signer {
      case .root: "root"
      case .admin(let author): author.description
      }
    let said = try Statement.parse(entry).map(fields(of:)) ?? [:]
    return said.merging([
      "vault": entry.vault.description, "sequence": "\(entry.sequence)", "previous": entry.previous.raw.hex,
      "time": "\(entry.time.microseconds)", "signer": signer, "statement": "\(entry.kind)",
      "critical": "\(entry.isCritical)", "body": hexadecimal(entry.body), "hash": entry.hash.raw.hex,
    ]) { said, _ in said }
  }

  private func fields(of statement: Statement) throws -> [String: String] {
    switch statement {
    case .transportKey(let statement):
      return [
        "generation": "\(statement.generation)", "commitment": statement.commitment.hex,
        "wrapped previous": hexadecimal(statement.wrappedPrevious), "boxes": statement.boxes.hex,
      ]
    case .device(let statement):
      let role: [String: String] =
        switch statement.role {
        case .member: ["admin keys": "none"]
        case .admin(let keys, _): ["admin keys": hex(keys)]
        case .invited(let invitation, _): ["invitation": invitation.description]
        case .readOnly(let expires): ["expires": "\(expires.microseconds)"]
        }
      return role.merging(["keys": hex(statement.keys), "name": statement.name]) { $1 }
        .merging(statement.deliveryKey.map { ["delivery key": $0.raw.hex] } ?? [:]) { $1 }
    case .appointment(let statement):
      return [
        "device": statement.device.description, "admin keys": hex(statement.adminKeys),
        "delivered": try opened(statement.delivery, statement.adminKeys),
      ]
    case .app(let statement):
      return [
        "application identifier": statement.applicationID, "bundle identifier": statement.bundleID,
        "source prefix": statement.sourcePrefix ?? "none", "locked": "\(statement.requiresPassphrase)",
        "groups": statement.groups.map { "\($0.source.rawValue) \($0.name)" }.joined(separator: ", "),
        "plist": hexadecimal(statement.entitlements),
      ]
    case .principal(let statement):
      return [
        "app": statement.app.raw.hex, "device": statement.device.description, "keys": hex(statement.keys),
      ].merging(
        try statement.delivery.map { ["delivered": try opened($0, statement.keys)] } ?? [:]
      ) { field, _ in field }
    case .groupKey(let statement):
      return try boxFields(statement.boxes).merging([
        "name": statement.name, "commitment": statement.commitment.hex,
      ]) { box, _ in box }
    case .grant(let statement):
      return try boxFields(statement.boxes).merging([
        "group": statement.group.description, "generation": "\(statement.generation)",
      ]) { box, _ in box }
    case .groupKeyRenewal(let statement):
      return try boxFields(statement.boxes).merging([
        "group": statement.group.description, "generation": "\(statement.generation)",
        "commitment": statement.commitment.hex, "wrapped generation": "\(statement.wrappedGeneration)",
        "wrapped": hexadecimal(statement.wrapped),
      ]) { box, _ in box }
    case .revocation(let statement):
      return fields(of: statement)
    case .succession(let statement):
      return [
        "root": hex(statement.root), "generation": "\(statement.generation)", "slot": statement.slot.hex,
        "following entries": "\(statement.followingEntries)", "keys": words(for: statement.keys),
      ]
    case .resolution(let statement):
      return [
        "rejected": statement.rejected.map(\.raw.hex).joined(separator: " "),
        "recovered": statement.recovered.map {
          "\($0.group) \($0.generation) \($0.commitment.hex) \($0.wrappingGeneration) \(hexadecimal($0.wrapped))"
        }.joined(separator: ", "),
      ]
    case .deviceName(let statement):
      return ["device": statement.device.description, "name": statement.name]
    case .groupRequirement(let statement):
      return ["group": statement.group.description, "requirement": statement.requirement.name]
    case .withdrawal(let statement):
      return ["entries": statement.entries.map(\.raw.hex).joined(separator: " ")]
    case .dismissal(let statement):
      return [
        "revocation": statement.revocation.raw.hex, "reason": statement.reason,
        "items": statement.items.map { "\($0.group) \($0.item)" }.joined(separator: ", "),
      ]
    }
  }

  private func opened(_ delivery: DeliveredKeys, _ expected: PartyPublicKeys) throws -> String {
    hex(try delivery.open(with: AgreementKey(secret: secret("delivery key")), expecting: expected).secret)
  }

  private func fields(of statement: RevocationStatement) -> [String: String] {
    func join(_ texts: [String]) -> String { texts.joined(separator: ", ") }
    return [
      "machines": join(
        statement.machines.map { machine in
          ([machine.device.description]
            + machine.ends.map { "\($0.stream) \($0.number) \($0.hash.raw.hex)" }).joined(separator: " ")
        }),
      "apps": join(statement.apps.map(\.raw.hex)),
      "authors": join(
        statement.authors.map { cut in
          ([cut.author.description] + (cut.groups ?? []).map { "\($0.group) \($0.keepsReading)" })
            .joined(separator: " ")
        }),
      "records": "\(statement.recordCount)", "record lists": join(statement.recordLists.map(\.hex)),
      "following entries": "\(statement.followingEntries)",
      "keys": words(for: statement.keys),
    ]
  }

  private func words(for keys: [NewKey]) -> String {
    keys.map { "\($0.group) \($0.generation) \($0.commitment.hex)" }.joined(separator: ", ")
  }

  /// Returns the recipients, and the content of the box for root, whose secret keys are an input.
  private func boxFields(_ boxes: [AddressedBox]) throws -> [String: String] {
    let keys = try PartyKeys(secret: secret("root's secret keys"))
    guard let own = boxes.first(where: { $0.recipient == .root }) else {
      throw MalformedVector(what: "no box for root")
    }
    return [
      "recipients": boxes.map(\.recipient.description).joined(separator: " "),
      "opened box": hex(try keys.agreement.open(own.box)),
    ]
  }

  private func fields(of envelope: Envelope) throws -> [String: String] {
    var fields = [
      "content": "\(envelope.content.rawValue)", "generation": "\(envelope.generation)",
      "boxes": "\(envelope.boxes.count)",
    ]
    var key = try vector.inputs["transport key"].map { _ in try SymmetricKey(secret("transport key")) }
    if key == nil {
      let keys = try PartyKeys(secret: secret("device's secret keys"))
      let first = try vector.inputs["first transport key"].map { _ in
        TransportKey(generation: 1, key: try SymmetricKey(secret("first transport key")))
      }
      let boxed = TransportKey(
        introducedBy: envelope, openedBy: keys.agreement, mixing: [first].compactMap(\.self))
      fields["transport key"] = boxed.map { hex($0.key.secret) }
      fields["commitment"] = boxed?.commitment.hex
      key = boxed?.key
    }
    guard let key else { throw FormatError(.doesNotOpen, object: "envelope", field: "boxes") }
    fields["object"] = hexadecimal(
      envelope.content == .logEntry
        ? try LogEntry(opening: envelope, with: TransportKey(generation: envelope.generation, key: key)).bytes
        : try envelope.open(with: key))
    return fields
  }

  private func fields(of attributes: ItemAttributes) -> [String: String] {
    Dictionary(
      uniqueKeysWithValues: attributes.values.map { code, value in
        let text =
          switch value {
          case .string(let text): "string \(text)"
          case .data(let bytes): "data \(hexadecimal(bytes))"
          case .number(let number): "number \(number)"
          case .date(let date): "date \(date.microseconds)"
          }
        return (name(of: code.rawValue), text)
      })
  }

  private func fields(of record: Record) throws -> [String: String] {
    try require(record.isSigned(by: verifyingKey()))
    let header = record.header
    var fields = [
      "vault": header.vault.description, "group": header.group.description, "generation": "\(header.generation)",
      "item": header.item.description, "class": name(of: header.itemClass.rawValue),
      "device local": "\(header.isDeviceLocal)", "bases": header.bases.map(\.raw.hex).joined(separator: " "),
      "time": "\(header.time.microseconds)", "author": header.author.description,
      "tokens": header.tokens.map(\.description).joined(separator: " "), "hash": record.hash.raw.hex,
    ]
    if let created = header.created { fields["created"] = "\(created.microseconds)" }
    switch header.content {
    case .value:
      var keys = try groupKeys(header.group, header.generation)
      if header.isDeviceLocal { keys = keys.deviceLocal(try secret("local secret")) }
      let (attributes, value) = try record.contents(with: keys)
      fields["content"] = "value"
      fields["value"] = hexadecimal(value)
      fields["item of the attributes"] =
        keys.itemID(header.itemClass, isSynchronizable: attributes.isSynchronizable, attributes: attributes)
        .description
      fields["tokens of acct and svce"] = [AttributeCode.account, .service]
        .compactMap { code in attributes[code].map { keys.token(code, $0) } }.sorted().map(\.description)
        .joined(separator: " ")
      for (name, text) in self.fields(of: attributes) { fields["attribute \(name)"] = text }
    case .tombstone(let successor):
      fields["content"] = "tombstone"
      fields["successor"] = successor?.description ?? "none"
    }
    return fields
  }

  private func fields(ofStreamName bytes: [UInt8]) throws -> [String: String] {
    var reader = ByteReader(bytes, object: "stream name")
    let stream = try StreamID(from: &reader)
    try reader.finish()
    guard let vault = Bytes16(try input("vault")), let device = Bytes16(try input("device")) else {
      throw MalformedVector(what: "identifiers")
    }
    let key = TransportKey(generation: 1, key: try SymmetricKey(secret("transport key")))
    let commits = StreamNaming([key], in: VaultID(vault)).commits(stream, to: DeviceID(device))
    return ["commits": "\(commits)", "stream": stream.description]
  }

  private func fields(of segment: Segment) throws -> [String: String] {
    try require(segment.isSigned(by: verifyingKey()))
    return [
      "vault": segment.vault.description, "device": segment.device.description,
      "stream": segment.stream.description, "number": "\(segment.number)", "previous": segment.previous.raw.hex,
      "log": "\(segment.log.sequence) \(segment.log.hash.raw.hex)",
      "seen": segment.seen.map { "\($0.stream) \($0.number) \($0.hash.raw.hex)" }.joined(separator: ", "),
      "group": segment.group.description, "records": segment.records.map(hexadecimal).joined(separator: " "),
      "hash": segment.hash.raw.hex,
    ]
  }

  private func groupKeyFields(wrapped: [UInt8]) throws -> [String: String] {
    let vault = VaultID(try fixed("vault"))
    let group = GroupID(vault: vault, name: try text("name"))
    guard let generation = UInt32(try text("generation")) else { throw MalformedVector(what: "generation") }
    let keys = try groupKeys(group, generation)
    let earlier = vector.inputs["wrapped generation"].flatMap { UInt32($0) } ?? generation - 1
    let previous = try keys.unwrap(wrapped, generation: earlier)
    return [
      "group": group.description, "commitment": keys.commitment.hex, "previous": hex(previous.secret),
      "previous commitment": previous.commitment.hex,
    ]
  }

  private func transportKeyFields(wrapped: [UInt8]) throws -> [String: String] {
    guard let generation = UInt32(try text("generation")) else { throw MalformedVector(what: "generation") }
    let key = TransportKey(generation: generation, key: try SymmetricKey(secret("transport key")))
    let previous = try key.unwrapPrevious(wrapped, in: VaultID(fixed("vault")))
    return [
      "commitment": key.commitment.hex, "previous": hex(previous.key.secret),
      "previous commitment": previous.commitment.hex,
    ]
  }

  private func fields(of list: RecordList) -> [String: String] {
    [
      "vault": list.vault.description, "records": list.records.map(\.raw.hex).joined(separator: " "),
      "hash": list.hash.hex,
    ]
  }

  private func fixed(_ name: String) throws -> Bytes16 {
    guard let value = Bytes16(try input(name)) else { throw MalformedVector(what: name) }
    return value
  }

  private func fields(of credential: Credential) throws -> [String: String] {
    let keys = try credential.open(passphrase: passphrase, in: VaultID(fixed("vault")))
    return [
      "genesis": credential.genesis.raw.hex, "application identifier": credential.applicationID,
      "device": credential.device.description, "seen": "\(credential.seen.sequence) \(credential.seen.hash.raw.hex)",
      "needs passphrase": "\(credential.needsPassphrase)", "author": credential.author.description,
      "secret": hex(keys.secret), "public keys": hex(keys.publicKeys),
    ]
  }

  var passphrase: SecretText? { vector.inputs["passphrase"].map { SecretText(copying: $0.utf8) } }

  private func fields(of value: ProtectedValue) throws -> [String: String] {
    let code = try text("class").utf8.reduce(0) { $0 << 8 | UInt32($1) }
    guard let itemClass = ItemClass(rawValue: code) else { throw MalformedVector(what: "class") }
    let item = ProtectedItem(
      vault: VaultID(try fixed("vault")), itemClass: itemClass,
      attributes: ItemAttributes([.persistentReference: .data(try input("persistent reference"))]))
    let protection = try ValueProtection(of: value, in: item, password: SecretText(copying: text("passphrase").utf8))
    return ["value": hexadecimal(try protection.open(value))]
  }

  private func fields(of file: DeviceFile) -> [String: String] {
    [
      "genesis": file.genesis.raw.hex, "secret": hex(file.keys.secret), "local secret": hex(file.localSecret),
      "transport keys": file.transportKeys.map { "\($0.generation) \(hex($0.key.secret))" }.joined(separator: ", "),
    ]
  }

  private func fields(of file: AdminFile) throws -> [String: String] {
    return [
      "genesis": file.genesis.raw.hex, "needs passphrase": "\(file.needsPassphrase)",
      "secret": hex(try file.open(passphrase: passphrase).secret),
    ]
  }

  private func fields(of file: DeliveryFile) throws -> [String: String] {
    let key = try file.open(passphrase: passphrase)
    return [
      "genesis": file.genesis.raw.hex, "needs passphrase": "\(file.needsPassphrase)", "secret": hex(key.secret),
      "public key": key.publicKey.raw.hex,
    ]
  }

  private func fields(of credential: HeadlessCredential) -> [String: String] {
    let device = credential.device
    return [
      "genesis": device.genesis.raw.hex, "secret": hex(device.keys.secret),
      "seen": "\(credential.seen.sequence) \(credential.seen.hash.raw.hex)",
      "transport keys": device.transportKeys.map { "\($0.generation) \(hex($0.key.secret))" }.joined(separator: ", "),
      "apps": credential.apps.map { "\($0.applicationID) \(hex($0.keys.secret))" }.joined(separator: ", "),
    ]
  }

  func hex(_ keys: PartyPublicKeys) -> String { keys.verifying.raw.hex + keys.box.raw.hex }

  func hex(_ secret: SecretBytes) -> String { unsafe secret.withBytes { unsafe hexadecimal($0) } }

  private func name(of code: UInt32) -> String {
    String(
      decoding: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: code >> UInt32($0)) }, as: UTF8.self)
  }
}
