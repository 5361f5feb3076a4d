import CofferCrypto
import CofferFormat
import CofferKeys
import Testing

@testable import CofferTrust

/// A vault's members with their keys, and a log that grows by the entries that they sign.
struct SampleMembership {
  /// The present root's keys.
  var root: PartyKeys
  let device: PartyKeys
  let admin: PartyKeys
  var membership: Membership
  /// The entries that were appended.
  private(set) var entries: [LogEntry] = []

  init() {
    root = .random()
    device = .random()
    admin = .random()
    let genesis = Genesis(
      vault: .random(), created: Timestamp(microseconds: 1), root: root, firstDevice: device.publicKeys,
      firstAdmin: admin.publicKeys)
    membership = Membership(genesis: genesis)
  }

  /// Creates the same vault with some of another log's entries.
  init(of other: SampleMembership, entries: some Sequence<LogEntry>) throws {
    root = other.root
    device = other.device
    admin = other.admin
    membership = Membership(genesis: other.membership.genesis)
    for entry in entries { try membership.apply(entry) }
    self.entries = Array(entries)
  }

  var vault: VaultID { membership.vault }
  var adminSigner: LogEntry.Signer { .admin(AuthorID(vault: vault, keys: admin.publicKeys)) }
  var deviceID: DeviceID { DeviceID(vault: vault, keys: device.publicKeys) }

  /// Returns the next entry without applying it, signed by the first admin by default.
  func entry(
    _ statement: Statement, by signer: LogEntry.Signer? = nil, key: SigningKey? = nil, after: LogPosition? = nil,
    vault: VaultID? = nil, time: Int64 = 2
  ) -> LogEntry {
    let signer = signer ?? adminSigner
    return LogEntry(
      vault: vault ?? self.vault, after: after ?? membership.head, time: Timestamp(microseconds: time), signer: signer,
      key: key ?? (signer == .root ? root.signing : admin.signing), statement: statement)
  }

  /// Signs and applies the next entry.
  @discardableResult
  mutating func append(
    _ statement: Statement, by signer: LogEntry.Signer? = nil, key: SigningKey? = nil, time: Int64 = 2
  ) throws(TrustError) -> LogEntry {
    let entry = entry(statement, by: signer, key: key, time: time)
    try membership.apply(entry)
    entries.append(entry)
    return entry
  }

  /// Applies the next entry.
  mutating func append(_ entry: LogEntry) throws(TrustError) {
    try membership.apply(entry)
    entries.append(entry)
  }

  /// Returns the next entry with another kind than that of its body, as a newer program would sign it.
  func unknownEntry(kind: UInt16 = 999, isCritical: Bool) throws -> LogEntry {
    let known = entry(
      .device(
        DeviceStatement(
          keys: PartyKeys.random().publicKeys, role: .member(delivery: AgreementKey.random().publicKey), name: "x"))
    )
    return try signedEntry(kind: kind, isCritical: isCritical, body: known.body)
  }

  /// Returns the next entry with any body, signed by the first admin.
  func signedEntry(kind: UInt16, isCritical: Bool, body: [UInt8]) throws -> LogEntry {
    let known = entry(.withdrawal(WithdrawalStatement(entries: [])))
    var writer = ByteWriter()
    // The kind and the flag precede the length of the body, which is empty, and the signature.
    writer.fixed(Array(known.bytes.dropLast(known.signature.bytes.count + 4 + 3)))
    writer.u16(kind)
    writer.bool(isCritical)
    writer.data(body)
    let digest = Hash.digest(writer.bytes, domain: .logEntry)
    return try LogEntry(bytes: writer.bytes + admin.signing.sign(digest, domain: .logEntry).bytes)
  }

  /// Returns an app's registration with groups in their order.
  func app(_ bundleID: String, stating groups: [StatedGroup], plist: String = "") -> Statement {
    .app(
      AppStatement(
        applicationID: "\(membership.team).\(bundleID)", bundleID: bundleID, sourcePrefix: nil,
        requiresPassphrase: false, groups: groups, entitlements: Array(plist.utf8)))
  }

  /// Returns an app's registration with its own group, and with others of this team.
  func app(_ bundleID: String, groups: [String] = [], readOnly: [String] = []) -> Statement {
    func stated(_ names: [String], _ source: StatedGroup.Source) -> [StatedGroup] {
      names.map { StatedGroup(name: "\(membership.team).\($0)", source: source) }
    }
    let own = groups.contains(bundleID) ? [] : [bundleID]
    return app(
      bundleID,
      stating: stated(groups, .keychainAccessGroups) + stated(own, .applicationIdentifier)
        + stated(readOnly, .readOnlyAccessGroups))
  }

  /// Registers an app and one principal of it on the first machine.
  mutating func register(
    _ bundleID: String, groups: [String] = [], readOnly: [String] = []
  ) throws -> (keys: PartyKeys, id: AuthorID) {
    let registration = try append(app(bundleID, groups: groups, readOnly: readOnly))
    let keys = PartyKeys.random()
    try append(.principal(PrincipalStatement(app: registration.hash, device: deviceID, keys: keys.publicKeys)))
    return (keys, AuthorID(vault: vault, keys: keys.publicKeys))
  }

  /// Returns a group's first key, boxed for these recipients.
  func groupKey(_ name: String, keys: GroupKeys, to recipients: [(AuthorID, BoxKey)]) throws -> Statement {
    .groupKey(
      GroupKeyStatement(
        name: "\(membership.team).\(name)", commitment: keys.commitment,
        boxes: try recipients.map { AddressedBox(recipient: $0.0, box: try $0.1.seal(keys.secret)) }))
  }

  /// Returns a later key of a group, with a box for each reader that does not open.
  func renewal(_ name: String, keys: GroupKeys, wrapping earlier: GroupKeys) throws -> Statement {
    let name = try #require(AccessGroupName("\(membership.team).\(name)"))
    let readers = membership.recipients(of: name, at: Timestamp(microseconds: 2))
    return .groupKeyRenewal(
      GroupKeyRenewalStatement(
        group: keys.group, generation: keys.generation, commitment: keys.commitment,
        wrappedGeneration: earlier.generation, wrapped: keys.wrap(earlier),
        boxes: readers.map { AddressedBox(recipient: $0, box: Random.bytes(count: AddressedBox.boxByteCount)) }))
  }

  /// Returns a record under a group's keys.
  func record(
    keys: GroupKeys, author: AuthorID, signer: SigningKey, vault: VaultID? = nil, generation: UInt32? = nil,
    item: UInt8 = 0
  ) -> Record {
    let item = ItemID(Bytes16(truncating: Hash.digest([item], domain: .item)))
    let header = RecordHeader(
      vault: vault ?? self.vault, group: keys.group, generation: generation ?? keys.generation,
      item: item, itemClass: .genericPassword, content: .value, isDeviceLocal: false, bases: [],
      time: Timestamp(microseconds: 3), author: author, tokens: [])
    return Record(header: header, attributes: nil, value: [1], keys: keys, signer: signer)
  }

  func group(_ name: String) -> GroupID { GroupID(vault: vault, name: "\(membership.team).\(name)") }
}

/// Returns the code of the error with which `entry` is refused; nil if it is accepted. A refusal must change nothing.
func refusal(of entry: LogEntry, by membership: Membership) -> TrustError.Code? {
  var copy = membership
  do throws(TrustError) {
    try copy.apply(entry)
    return nil
  } catch {
    let isUnchanged =
      copy.head == membership.head && copy.devices == membership.devices && copy.authors == membership.authors
      && copy.apps == membership.apps && copy.groups == membership.groups
      && copy.transportCommitments == membership.transportCommitments
      && copy.registrations == membership.registrations && copy.revocations == membership.revocations
      && copy.incompleteBatch == membership.incompleteBatch
      && copy.batch?.remaining == membership.batch?.remaining
      && copy.firstUnknownCritical == membership.firstUnknownCritical
    return isUnchanged && error.sequence == entry.sequence ? error.code : nil
  }
}
