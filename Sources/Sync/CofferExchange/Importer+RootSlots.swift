internal import CofferCrypto
internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferTrust
internal import CofferVault

/// Imports root's slots.
extension Importer {
  /// Compares the slot of the first root, which is never replaced. Returns false if the remote's is another one, so that ours
  /// must be pushed again.
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
    for (hash, blob) in membershipFiles.rootSlots.sorted(by: { $0.key < $1.key }) {
      let statement = chain.successions.first { $0.statement.slot == hash }?.statement
      let isHeld = try statement != nil && local.store.read { try $0.object(.rootSlot(hash)) } != nil
      try importFile(.laterRootSlot(hash), "root slot \(hash.hex.prefix(12))", isHeld: isHeld) { importer in
        guard let statement else { throw UnsoundObject("no entry of the log names it", .unannounced) }
        let bytes = try importer.repository.blob(blob, maximumByteCount: RootSlot.byteLimit)
        guard let slot = RootSlot(bytes: bytes, of: chain.genesis, namedBy: statement) else {
          throw UnsoundObject("it is not the one that the log names", .invalid)
        }
        try importer.local.store.write { try $0.insert(slot, published: blob.bytes) }
      }
    }
    try reportMissingRootSlot()
  }

  /// Reports, at every sync, that the host withholds the slot of the present root: the vault key cannot be used without it.
  private mutating func reportMissingRootSlot() throws {
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
