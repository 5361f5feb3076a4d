package import CofferCrypto
package import CofferFormat
package import CofferKeys
package import CofferStore
package import CofferTrust
internal import CofferVault

/// Entries that are about to be appended to the membership log. Each is verified when it is made, by the same rules as
/// every reader applies.
package struct LogDraft {
  package private(set) var membership: Membership
  package private(set) var transportKey: TransportKey
  /// The vault's first transport key, if it is mixed into all later ones.
  package let firstKey: TransportKey?
  /// The time that all of its entries state. It decides which read-only machines get keys.
  package let time: Timestamp
  private var entries: [(entry: LogEntry, envelope: Envelope)] = []
  private var recordLists: [RecordList] = []
  private var rootSlots: [RootSlot] = []

  /// Takes the machine's transport keys in ascending order of generation. Throws `integrity` if it lacks the newest, or
  /// the first in a vault that mixes that into later ones.
  package init(membership: Membership, transportKeys: [TransportKey], time: Timestamp = .now) throws(VaultError) {
    let first = transportKeys.first { $0.generation == 1 }
    let newest = transportKeys.last { $0.generation >= membership.transportGeneration }
    guard let newest, first != nil || !membership.mixesTransportKeys else {
      throw VaultError(
        .integrity, "this machine's key file lacks a transport key", recoverySuggestion: "clone the vault again")
    }
    self.membership = membership
    self.time = time
    transportKey = newest
    firstKey = membership.mixesTransportKeys ? first : nil
  }

  /// Generates the transport key that comes after the present one.
  package func nextTransportKey() -> NewTransportKey { transportKey.next(mixing: firstKey) }

  /// Whether no entry was appended.
  var isEmpty: Bool { entries.isEmpty }

  /// Signs a statement and appends it. Only a new transport key has boxes, which the statement names. Throws
  /// `invalidArgument` if the log would reject the statement.
  @discardableResult
  package mutating func append(
    _ statement: Statement, by signer: LogEntry.Signer, key: SigningKey, boxes: [[UInt8]] = []
  ) throws(VaultError) -> LogEntry {
    let entry = LogEntry(
      vault: membership.vault, after: membership.head, time: time, signer: signer, key: key, statement: statement)
    // By the bytes, as readers do: one entry that nobody can read would make the whole log unreadable.
    guard boxes.count <= Limits.boxes, let read = try? LogEntry(bytes: entry.bytes) else {
      throw VaultError(
        .invalidArgument,
        "this needs an entry of the membership log that is larger than 1 MiB or has more than 16,384 boxes",
        recoverySuggestion: "do it in several steps, with fewer machines or apps in each; nothing was changed")
    }
    do throws(TrustError) {
      try membership.apply(read)
    } catch {
      throw VaultError(
        .invalidArgument, "the membership log would reject this: \(error.detail)",
        recoverySuggestion: "run `coffer sync`, see `coffer log` for what changed, and try again; nothing was changed")
    }
    let envelope = Envelope(
      sealing: entry.bytes, as: .logEntry, key: transportKey.key, generation: transportKey.generation, boxes: boxes)
    entries.append((entry, envelope))
    return entry
  }

  /// States that entries which were offered to the remote before, all by `signer`, were given up.
  package mutating func withdraw(_ entries: [EntryHash], by signer: LogEntry.Signer, key: SigningKey) throws(VaultError)
  {
    for start in stride(from: 0, to: entries.count, by: Limits.withdrawnEntries) {
      let part = entries[start..<min(start + Limits.withdrawnEntries, entries.count)]
      try append(.withdrawal(WithdrawalStatement(entries: Array(part))), by: signer, key: key)
    }
  }

  /// Adds the lists of records that a revocation in the draft names.
  package mutating func add(_ lists: [RecordList]) {
    recordLists += lists
    membership.add(lists)
  }

  /// Adds the slot that a succession in the draft names.
  package mutating func add(_ slot: RootSlot) { rootSlots.append(slot) }

  /// Introduces the next transport key, boxed for root and for each machine that is neither revoked nor expired, and
  /// seals the following entries under it. Readers can open the entry itself only with the new key.
  package mutating func append(_ new: NewTransportKey, by signer: LogEntry.Signer, key: SigningKey) throws(VaultError) {
    let next = new.key
    let recipients =
      [membership.root.box]
      + membership.members.filter { !$0.isExpired(at: time) }.sorted { $0.id < $1.id }.map(\.keys.box)
    // The order would tell the host which box is whose.
    let boxes = Random.shuffled(recipients.map { $0.sealOrDecoy(new.boxed) })
    let statement = TransportKeyStatement(
      generation: next.generation, commitment: next.commitment,
      wrappedPrevious: next.wrap(transportKey, in: membership.vault), boxes: boxes)
    transportKey = next
    try append(.transportKey(statement), by: signer, key: key, boxes: boxes)
  }

  /// Returns the fork of the log that the store has with the entries of the draft; nil if there is none.
  package func fork(_ writer: borrowing StoreWriter) throws -> LogFork? {
    let competingEntries = try writer.competingEntries()
    guard !competingEntries.isEmpty else { return nil }
    return LogBranches(
      chain: membership,
      entries: try writer.logEntries(after: 0).map { try LogEntry(bytes: $0.entry) } + entries.map(\.entry),
      competingEntries: competingEntries.compactMap { try? LogEntry(bytes: $0.entry) },
      discarded: try WithdrawnLog.load(from: writer).hashes
    ).fork
  }

  /// Writes the entries to the store as unpublished. The next sync pushes them.
  package func commit(to writer: borrowing StoreWriter) throws {
    for list in recordLists { try writer.insert(list, published: nil) }
    for slot in rootSlots { try writer.insert(slot, published: nil) }
    for (entry, envelope) in entries {
      try writer.appendLogEntry(
        sequence: entry.sequence, entry: entry.bytes, envelope: envelope.bytes, published: nil)
    }
  }

  /// Boxes the newest keys of a group, and those to which they do not lead, for every entitled recipient that has no
  /// box of the newest yet. The box of `reader` is opened to get the keys.
  package mutating func grantMissingBoxes(
    of name: AccessGroupName, openedAs reader: AuthorID, with agreement: AgreementKey, by signer: LogEntry.Signer,
    key: SigningKey
  ) throws(VaultError) {
    guard let group = membership.groups[GroupID(vault: membership.vault, name: name.description)],
      let newest = group.generations.last
    else { return }
    let missing = membership.recipients(of: name, at: time).filter { newest.boxes[$0] == nil }
    guard !missing.isEmpty else { return }
    let opened: [GroupKeys]
    do throws(CryptoError) {
      opened = try group.keys(for: reader, opening: agreement)
    } catch {
      throw Self.unopened(name)
    }
    guard let keys = opened.last, keys.generation == newest.number else {
      throw VaultError(
        .integrity, "the newest key of \(name) was not sealed to this admin", recoverySuggestion: "sync and try again")
    }
    let boxes = boxes(of: keys, for: missing)
    try append(.grant(GrantStatement(group: group.id, generation: newest.number, boxes: boxes)), by: signer, key: key)
    let reached = group.generations(below: keys)
    for earlier in opened where !reached.contains(earlier.generation) {
      // A dishonest admin made a later generation that does not lead to it.
      let held = group.generations[Int(earlier.generation) - 1].boxes
      let boxes = self.boxes(of: earlier, for: missing.filter { held[$0] == nil })
      guard !boxes.isEmpty else { continue }
      try append(
        .grant(GrantStatement(group: group.id, generation: earlier.generation, boxes: boxes)), by: signer, key: key)
    }
  }

  /// The error for keys of a group that the signer cannot open.
  package static func unopened(_ group: AccessGroupName) -> VaultError {
    VaultError(
      .integrity,
      "the keys of \(group) do not open: the entry of the log with them was altered, or its signer made worthless ones",
      recoverySuggestion: "see who signed them with: coffer log; repair the store with: coffer check --repair")
  }

  /// Creates the missing groups of an app, and boxes their keys for every entitled recipient.
  package mutating func grantGroups(
    of entitlements: Entitlements, by signer: LogEntry.Signer, with keys: PartyKeys
  ) throws(VaultError) {
    for group in entitlements.groups {
      try createGroup(group.name, by: signer, key: keys.signing)
      try grantMissingBoxes(
        of: group.name, openedAs: signer.id, with: keys.agreement, by: signer, key: keys.signing)
    }
  }

  /// Creates a group, if the log does not have it yet.
  package mutating func createGroup(_ name: AccessGroupName, by signer: LogEntry.Signer, key: SigningKey)
    throws(VaultError)
  {
    let group = GroupID(vault: membership.vault, name: name.description)
    guard membership.groups[group] == nil else { return }
    let keys = GroupKeys.random(group: group)
    let statement = GroupKeyStatement(
      name: name.description, commitment: keys.commitment,
      boxes: boxes(of: keys, for: membership.recipients(of: name, at: time)))
    try append(.groupKey(statement), by: signer, key: key)
  }

  package func boxes(of keys: GroupKeys, for recipients: [AuthorID]) -> [AddressedBox] {
    recipients.compactMap { recipient in
      let key = recipient == .root ? membership.root.box : membership.authors[recipient]?.keys.box
      return key.map { AddressedBox(recipient: recipient, box: $0.sealOrDecoy(keys.secret)) }
    }
  }
}

extension LogDraft {
  /// Enrols a machine. Root signs if it becomes an admin. Throws `invalidArgument` if the log would reject the machine.
  package mutating func enrol(
    _ machine: DeviceStatement, by signer: LogEntry.Signer, key: SigningKey
  ) throws(VaultError) -> DeviceID {
    try append(.device(machine), by: signer, key: key)
    return DeviceID(vault: membership.vault, keys: machine.keys)
  }

  /// Makes keys for an app on a machine, and seals them to the machine. The keys of the app's groups have to follow.
  /// Throws `itemNotFound` if the machine was removed, and `invalidArgument` if it has no delivery key.
  @discardableResult
  package mutating func deliver(
    _ app: App, to machine: DeviceID, by signer: LogEntry.Signer, key: SigningKey
  ) throws(VaultError) -> PartyKeys {
    let keys = PartyKeys.random()
    let delivery = try delivery(of: keys, to: machine)
    try append(
      .principal(
        PrincipalStatement(app: app.registration, device: machine, keys: keys.publicKeys, delivery: delivery)),
      by: signer, key: key)
    return keys
  }

  /// Makes a member an admin, and seals its keys and those of all groups to it. Throws `invalidArgument` if the log
  /// would reject it.
  package mutating func appoint(_ machine: DeviceID, with root: PartyKeys) throws(VaultError) {
    let keys = PartyKeys.random()
    let delivery = try delivery(of: keys, to: machine)
    try append(
      .appointment(AppointmentStatement(device: machine, adminKeys: keys.publicKeys, delivery: delivery)),
      by: .root, key: root.signing)
    for group in membership.groups.values.sorted(by: { $0.id < $1.id }) {
      try grantMissingBoxes(of: group.name, openedAs: .root, with: root.agreement, by: .root, key: root.signing)
    }
  }

  private func delivery(of keys: PartyKeys, to machine: DeviceID) throws(VaultError) -> DeliveredKeys {
    guard let recipient = try membership.memberMachine(machine).deliveryKey else {
      throw VaultError(
        .invalidArgument, "\(membership.name(of: machine)) is a headless credential, whose apps do not change",
        recoverySuggestion: "create a new one with all of its apps: \(HeadlessVault.createCommand)")
    }
    do throws(CryptoError) {
      return try DeliveredKeys(sealing: keys, to: recipient)
    } catch {
      throw VaultError(
        .integrity, "the delivery key of \(membership.name(of: machine)) in the log cannot be used",
        recoverySuggestion: "remove the machine with `coffer device revoke`, and clone the vault there again")
    }
  }
}
