internal import CofferCrypto
internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferTrust
internal import CofferVault

extension Importer {
  /// The maximum size of a membership log that is imported into memory.
  private static let newLogByteCount = 256 << 20

  /// Imports the log that several branches show together into a store that has nothing of it, with one fold and in one
  /// transaction. The import of a branch, which must follow, reports what is not valid there. Throws `integrity` for a
  /// log that is too large, has forked, or lacks an entry that others follow.
  mutating func importNewLog(at tips: [ObjectID]) throws {
    var files = MembershipFiles()
    var blobs: Set<ObjectID> = []
    for tip in tips {
      let found = try MembershipFiles(at: tip, of: repository, readingHistory: true)
      blobs.formUnion(found.everyLogEntry)
      files.merge(found)
    }
    let start = try local.membership()
    let known = device.transportKeys
    guard let sealed = try sealedLog(of: blobs, vault: start.vault) else {
      throw VaultError(
        .integrity, "the membership log at \(url) has more than \(Self.newLogByteCount >> 20) MiB",
        recoverySuggestion: "let a machine of the vault sync, which removes what does not belong there, and try again")
    }
    let union = sealed.union(following: start) { membership in
      let commitments = Set(membership.transportCommitments)
      return known.allSatisfy { commitments.contains($0.commitment) }
    }
    if let fork = union.fork { throw fork.error }
    if let missing = sealed.gap(after: union) {
      throw VaultError(
        .integrity, "\(url) lacks log entry \(missing), or has it in another form, and others follow it",
        recoverySuggestion: "let a machine of the vault sync, which restores it, and try again")
    }
    for key in sealed.transportKeys(of: union.chain) ?? [] where device.transportKey(key.generation) == nil {
      try add(key)
    }
    try local.store.write { writer in
      for (entry, envelope) in sealed.envelopes(of: union.entries) {
        try writer.appendLogEntry(
          sequence: entry.sequence, entry: entry.bytes, envelope: envelope.bytes,
          published: ObjectID.ofFile(envelope.bytes).bytes)
      }
    }
    report.membershipReceived += union.entries.count
    // What one branch lacks, another one may have.
    (membershipFiles.recordLists, membershipFiles.rootSlots) = (files.recordLists, files.rootSlots)
    let earlier = report
    try importMembership()
    try importFormer(files)
    report.forgetProblems(since: earlier)
  }

  /// Imports the record lists and slots of roots that branches had and that this machine still lacks.
  mutating func importFormer(_ files: MembershipFiles) throws {
    for (place, content) in files.former {
      (membershipFiles.log, membershipFiles.recordLists, membershipFiles.rootSlots) = ([:], [:], [:])
      switch place {
      case .recordList(let hash) where try local.store.read({ try $0.object(.recordList(hash)) }) == nil:
        membershipFiles.recordLists[hash] = content
      case .laterRootSlot(let hash) where try local.store.read({ try $0.object(.rootSlot(hash)) }) == nil:
        membershipFiles.rootSlots[hash] = content
      default: continue
      }
      try importMembership()
    }
  }

  /// Reads sealed entries. Files that cannot be read, or are none, are left out. Returns nil if the files are too large
  /// together.
  func sealedLog(of blobs: Set<ObjectID>, vault: VaultID) throws -> SealedLog? {
    var byteCount = 0
    var envelopes: [Envelope] = []
    for blob in blobs {
      try UnsoundObject.ignoring {
        let bytes = try repository.blob(blob, maximumByteCount: Limits.logEnvelopeByteCount)
        byteCount += bytes.count
        envelopes.append(try Envelope(bytes: bytes))
      }
      guard byteCount <= Self.newLogByteCount else { return nil }
    }
    return SealedLog(envelopes, openedBy: device.keys.agreement, and: device.transportKeys, vault: vault)
  }
}
