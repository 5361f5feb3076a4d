internal import CofferCrypto
internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
internal import CofferVault

/// Imports the lists of records that stay valid after revocations.
extension LogImport {
  /// Imports the lists that entries of the log name. Without its lists, a revocation does not take effect.
  mutating func importRecordLists() throws {
    let branches = try local.store.read { try local.branches(in: $0) }
    let chain = branches.chain
    let named = Set((chain.revocations + branches.effective.revocations).flatMap(\.statement.recordLists))
    for (hash, blob) in files.recordLists.sorted(by: { $0.key < $1.key }) {
      let isNamed = named.contains(hash)
      let isHeld = try isNamed && local.store.read { try $0.object(.recordList(hash)) } != nil
      try importFile(.recordList(hash), "record list \(hash.hex.prefix(12))", isHeld: isHeld) { part in
        guard isNamed else { throw UnsoundObject("no entry of the log names it", .unannounced) }
        let bytes = try part.repository.blob(blob, maximumByteCount: Limits.logEnvelopeByteCount)
        let list = try RecordList(bytes: part.open(bytes, as: .recordList, .unverified))
        guard list.hash == hash, list.vault == chain.vault else {
          throw UnsoundObject("it is another list", .invalid)
        }
        try part.local.store.write { try $0.insert(list, published: blob.bytes) }
      }
    }
    try reportMissingParts()
  }

  /// Reports, at every sync, a revocation that does not take effect yet because the host withholds a part of it.
  private mutating func reportMissingParts() throws {
    let chain = try local.store.read { try local.branches(in: $0).chain }
    if let first = chain.incompleteBatch {
      reportProblem(
        .missing,
        "lacks entries of the membership log that belong to entry \(first.sequence): what it revokes or replaces is in effect only after they arrive"
      )
    }
    if let missing = chain.missingRecordLists.first {
      reportProblem(
        .missing,
        "lacks a record list of entry \(missing.entry) of the membership log: what it revokes is in effect only after the list arrives"
      )
    }
  }

  /// Takes the transport keys out of entries that this machine has published or imported, as far as it lacks them. If
  /// nothing was pushed yet, all entries are pushed together with the first segments, which the newest key has to seal:
  /// whoever has an earlier one was removed before.
  mutating func adoptTransportKeys() throws {
    let count = try local.publishedMembership().transportCommitments.count
    guard count > device.transportKeys.count else { return }
    let keys = try local.store.read { reader in
      let published = try reader.publishedLogLength()
      return try local.newTransportKeys(
        for: device, through: published == 0 ? reader.logLength() : published, in: reader)
    }
    for key in keys { try add(key) }
  }

  /// Checks this machine's transport keys: with an altered one, every object of the others would look forged.
  func checkTransportKeys() throws(VaultError) {
    let commitments = try local.membership().transportCommitments
    for key in device.transportKeys {
      // A key that was stored just before its log entry has no commitment yet.
      guard commitments.indices.contains(Int(key.generation) - 1) else { continue }
      guard commitments[Int(key.generation) - 1] == key.commitment else {
        let place = local.keysInMemory == nil ? local.folder.deviceFile.path : "the credential"
        throw VaultError(
          .integrity, "the transport key in \(place) is not the one that the log names",
          recoverySuggestion: "the file is damaged: restore it from a backup, or clone the vault again")
      }
    }
  }

  /// Adds a transport key to this machine's key file.
  mutating func add(_ key: TransportKey) throws {
    let extended = device.adding(key)
    try local.keep(extended)
    device = extended
    FaultPoint.reached(.transportKeyWritten)
  }

  /// Throws `notEntitled` if the log revokes this machine, also if the following entries cannot be opened here.
  func checkNotRevoked() throws {
    if let error = try local.revocationError() { throw error }
  }
}

/// Imports root's slots.
extension LogImport {
  /// Compares the slot of the first root, which is never replaced. Returns false if the remote's is another one, so
  /// that ours must be pushed again.
  mutating func importRootSlot(_ blob: ObjectID) throws -> Bool {
    let own = try local.store.read { try $0.rootSlot() }
    let genesis = try local.store.read { try local.branches(in: $0).chain.genesis }
    do {
      let bytes = try repository.blob(blob, maximumByteCount: RootSlot.byteLimit)
      if bytes == own { return true }
      _ = try RootSlot.first(bytes: bytes, of: genesis)
      // A slot that is damaged here must not prevent the import.
      guard (try? RootSlot.first(bytes: own, of: genesis)) == nil else {
        throw UnsoundObject("it is not the one that this machine has", .invalid)
      }
      try local.store.write { try $0.setRootSlot(bytes) }
      return true
    } catch {
      guard let fault = UnsoundObject(error) else { throw error }
      reportProblem(.unusable, "has a root slot that is not valid: \(fault.reason)")
      return false
    }
  }

  /// Imports the slots of later roots that successions in the log name.
  mutating func importLaterRootSlots() throws {
    let chain = try local.store.read { try local.branches(in: $0).chain }
    for (hash, blob) in files.rootSlots.sorted(by: { $0.key < $1.key }) {
      let statement = chain.successions.first { $0.statement.slot == hash }?.statement
      let isHeld = try statement != nil && local.store.read { try $0.object(.rootSlot(hash)) } != nil
      try importFile(.laterRootSlot(hash), "root slot \(hash.hex.prefix(12))", isHeld: isHeld) { part in
        guard let statement else { throw UnsoundObject("no entry of the log names it", .unannounced) }
        let bytes = try part.repository.blob(blob, maximumByteCount: RootSlot.byteLimit)
        guard let slot = RootSlot(bytes: bytes, of: chain.genesis, namedBy: statement) else {
          throw UnsoundObject("it is not the one that the log names", .invalid)
        }
        try part.local.store.write { try $0.insert(slot, published: blob.bytes) }
      }
    }
    try reportMissingRootSlot()
  }

  /// Reports, at every sync, that the host withholds the slot of the present root: the vault key cannot be used without
  /// it.
  private func reportMissingRootSlot() throws {
    let last = try local.store.read { reader -> Succession? in
      let chain = try local.branches(in: reader).chain
      return try RootSlots.read(from: reader, in: chain).current == nil ? chain.successions.last : nil
    }
    guard let last else { return }
    reportProblem(
      .missing,
      "lacks the root slot of entry \(last.position.sequence) of the membership log: until it arrives, the vault key cannot be used on this machine"
    )
  }
}

/// Discards entries of this machine that must not be pushed any more.
extension LogImport {
  /// Discards unpublished revocations that do not list every record that counts here by now: the entries are signed
  /// anew by the command that waits for them. The next ones are final, so whoever is removed cannot prevent it by
  /// writing.
  mutating func discardStaleRevocations() throws {
    guard try local.store.read({ try $0.hasDrafts() }) else { return }
    report.membershipDiscarded += try local.store.write { writer in
      let settled = try writer.settledLogLength()
      let chain = try local.branches(in: writer).chain
      guard try !writer.isFinalDraft(chain.head.hash) else { return 0 }
      for draft in chain.revocations where draft.position.sequence > settled {
        let records = try writer.countedRecords(of: Set(draft.statement.authors.map(\.author)))
        // Nothing else that is wrong with a record may prevent a revocation of its author.
        guard records.contains(where: { chain.refuses($0.hash, by: $0.author, in: $0.group, since: draft.position) })
        else { continue }
        return try writer.withdrawUnpublishedLog()
      }
      return 0
    }
  }

  /// Discards unpublished entries that enrol a machine by an invitation that has ended: an approval that was
  /// interrupted must not be published after the expiry, by this machine's clock, or after a second request or a
  /// cancellation.
  mutating func discardEndedApprovals() throws {
    guard try local.store.read({ try $0.hasDrafts() }) else { return }
    // If the file is damaged, the exchange of requests says so.
    let invitations = (try? local.invitationBook().invitations()) ?? []
    let now = Timestamp.now
    try local.store.write { writer in
      let ended = try writer.draftedApprovals().first { id in
        !invitations.contains { $0.id == id && $0.state == .open && now < $0.expires }
      }
      guard let ended else { return }
      try writer.withdrawUnpublishedLog()
      try reportOnce(
        .invitation,
        "the approval of the invitation \(ended.shortText) was not published before the invitation ended, and is discarded: nobody was enrolled; invite again: coffer device invite"
      )
    }
  }
}

extension StoreAccess where Self: ~Copyable {
  /// Returns the invitations of the machines that drafts of the log enrol.
  func draftedApprovals() throws -> [InvitationID] {
    try logEntries(after: settledLogLength()).compactMap { stored in
      guard case .device(let statement)? = try? Statement.parse(LogEntry(bytes: stored.entry)),
        case .invited(let invitation, _) = statement.role
      else { return nil }
      return invitation
    }
  }
}
