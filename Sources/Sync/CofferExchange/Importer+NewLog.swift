internal import CofferCrypto
internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferTrust
internal import CofferVault

extension Importer {
  /// The maximum size of the signed entries that are imported into memory. Only root and admins can sign one.
  private static let newLogByteCount = 256 << 20

  /// Imports the log that several branches show together into a store that has nothing of it, with one fold and in one
  /// transaction. The import of a branch, which must follow, reports what is not valid there. Throws `integrity` for a
  /// log that is too large, has forked, or lacks an entry that others follow.
  mutating func importNewLog(at tips: [ObjectID]) throws {
    let files = try MembershipFiles(ofHistories: tips, of: repository)
    let start = try local.membership()
    let known = device.transportKeys
    guard let sealed = try sealedLog(of: files.everyLogEntry, following: start) else {
      throw VaultError(
        .integrity,
        "root and admins have signed more than \(Self.newLogByteCount >> 20) MiB of the membership log at \(url)",
        recoverySuggestion:
          "set a new, empty repository on a machine of the vault, which sends only its own log: coffer remote set URL")
    }
    let union = sealed.union(following: start) { membership in
      let commitments = Set(membership.transportCommitments)
      return known.allSatisfy { commitments.contains($0.commitment) }
    }
    if let fork = union.fork { throw fork.error }
    if let missing = sealed.gap(after: union) {
      throw VaultError(
        .integrity, "\(url) lacks log entry \(missing), or has it in another form, and others follow it",
        recoverySuggestion: "run `coffer sync` on a machine of the vault, which restores it, and try again")
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
    try importMissing(of: files)
    report.forgetProblems(since: earlier)
  }

  /// Imports the record lists and slots of roots that the log names and this machine lacks: of each the first file that
  /// is genuine, whatever the number of others that a branch has, or has had, at its place.
  mutating func importMissing(of files: MembershipFiles) throws {
    while true {
      (membershipFiles.log, membershipFiles.recordLists, membershipFiles.rootSlots) = ([:], [:], [:])
      let (chain, missing) = try missingPlaces()
      for place in missing {
        let content = try files.versions[place]?.first { try isGenuine($0, at: place, in: chain) }
        switch place {
        case .recordList(let hash): membershipFiles.recordLists[hash] = content
        case .laterRootSlot(let hash): membershipFiles.rootSlots[hash] = content
        default: break
        }
      }
      if membershipFiles.recordLists.isEmpty && membershipFiles.rootSlots.isEmpty { return }
      try importMembership()
      // A list can make a revocation take effect that names others.
      if try missingPlaces().missing == missing { return }
    }
  }

  /// The places of what the log names and the store does not have.
  private func missingPlaces() throws -> (chain: Membership, missing: [RemoteLayout.Place]) {
    try local.store.read { reader in
      let branches = try local.branches(in: reader)
      let lists = Set(
        (branches.chain.revocations + branches.effective.revocations).flatMap(\.statement.recordLists))
      let slots = branches.chain.successions.map(\.statement.slot)
      let missing =
        try lists.sorted().filter { try reader.object(.recordList($0)) == nil }.map { .recordList($0) }
        + slots.filter { try reader.object(.rootSlot($0)) == nil }.map { RemoteLayout.Place.laterRootSlot($0) }
      return (branches.chain, missing)
    }
  }

  /// Opens the sealed entries of a log. Files that cannot be read, or are none, are left out. Returns nil if root and
  /// admins have signed more than this machine imports.
  func sealedLog(of blobs: [ObjectID], following start: Membership) throws -> SealedLog? {
    let sealed = try SealedLog(
      of: blobs.count, openedBy: device.keys.agreement, and: device.transportKeys, following: start,
      byteLimit: Self.newLogByteCount
    ) { numbers in
      try UnsoundObject.ignoring {
        try repository.blob(blobs[numbers[numbers.startIndex]], maximumByteCount: Limits.logEnvelopeByteCount)
      }
    }
    return sealed.byteCount <= Self.newLogByteCount ? sealed : nil
  }
}
