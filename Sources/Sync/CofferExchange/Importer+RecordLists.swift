internal import CofferCrypto
internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
internal import CofferVault

/// Imports the lists of records that stay valid after revocations.
extension Importer {
  /// Imports the lists that entries of the log name. Without its lists, a revocation does not take effect.
  mutating func importRecordLists() throws {
    let branches = try local.store.read { try local.branches(in: $0) }
    let chain = branches.chain
    let named = Set((chain.revocations + branches.effective.revocations).flatMap(\.statement.recordLists))
    for (hash, blob) in membershipFiles.recordLists.sorted(by: { $0.key < $1.key }) {
      let isNamed = named.contains(hash)
      let isHeld = try isNamed && local.store.read { try $0.object(.recordList(hash)) } != nil
      try importFile(.recordList(hash), "record list \(hash.hex.prefix(12))", isHeld: isHeld) { importer in
        guard isNamed else { throw UnsoundObject("no entry of the log names it", .unannounced) }
        let bytes = try importer.repository.blob(blob, maximumByteCount: Limits.logEnvelopeByteCount)
        let list = try RecordList(bytes: importer.open(bytes, as: .recordList, .unverified))
        guard list.hash == hash, list.vault == chain.vault else {
          throw UnsoundObject("it is another list", .invalid)
        }
        try importer.local.store.write { try $0.insert(list, published: blob.bytes) }
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

  /// Takes the transport keys out of entries that this machine has published or imported, as far as it lacks them. If nothing
  /// was pushed yet, all entries are pushed together with the first segments, which the newest key has to seal: whoever has an
  /// earlier one was removed before.
  mutating func adoptTransportKeys() throws {
    let count = try local.settledMembership().transportCommitments.count
    guard count > device.transportKeys.count else { return }
    let keys = try local.store.read { reader in
      let published = try reader.publishedLogLength()
      return try local.newTransportKeys(
        for: device, through: published == 0 ? reader.logLength() : published, in: reader)
    }
    for key in keys { try add(key) }
  }

  /// Adds a transport key to this machine's key file.
  mutating func add(_ key: TransportKey) throws {
    let extended = DeviceFile(
      genesis: device.genesis, keys: device.keys, localSecret: device.localSecret,
      transportKeys: device.transportKeys + [key])
    try local.keep(extended)
    device = extended
    FaultPoint.reached(.transportKeyWritten)
  }

  /// Throws `notEntitled` if the log revokes this machine, also if the following entries cannot be opened here.
  func checkNotRevoked() throws {
    if let error = try local.revocationError() { throw error }
  }
}
