package import CofferCrypto
internal import CofferFormat

extension Membership {
  /// Verifies a succession. That the new root agrees is shown by the following entries, which it signs, and without which
  /// the succession has no effect.
  func check(_ statement: SuccessionStatement, of entry: LogEntry) throws(TrustError) {
    func failure(_ code: TrustError.Code, _ detail: String) -> TrustError {
      TrustError(code, at: entry.sequence, detail)
    }
    guard entry.signer == .root else { throw failure(.notAuthorised, "only root hands the vault over") }
    guard batch == nil else { throw failure(.contradiction, "the change before it is not complete") }
    guard statement.generation == rootGeneration + 1 else {
      throw failure(.contradiction, "its root is not the next one")
    }
    let earlier = [genesis.root] + successions.map(\.statement.root)
    guard earlier.allSatisfy({ $0.verifying != statement.root.verifying && $0.box != statement.root.box }) else {
      throw failure(.contradiction, "its root has keys of an earlier one")
    }
    guard statement.keys.count <= Int(statement.followingEntries) else {
      throw failure(.contradiction, "it names more keys than entries that introduce them")
    }
    try checkKeys(statement.keys, replacing: Set(groups.keys).union([.none]), in: entry)
  }

  /// Verifies that every key of `wanted` is replaced, and that every key that a statement names can follow.
  /// ``GroupID/none`` stands for the transport key.
  func checkKeys(_ keys: [NewKey], replacing wanted: Set<GroupID>, in entry: LogEntry) throws(TrustError) {
    for key in keys {
      let count = key.group == .none ? transportCommitments.count : groups[key.group]?.generations.count
      guard let count, key.generation == UInt32(count) + 1 else {
        throw TrustError(.contradiction, at: entry.sequence, "it names a key that is not the next generation")
      }
    }
    guard wanted.isSubset(of: keys.map(\.group)) else {
      throw TrustError(.contradiction, at: entry.sequence, "it does not replace every key that was readable")
    }
  }

  /// Returns the succession that took the vault from a root; nil for the present root, and for keys that are no root's.
  package func succession(from keys: PartyPublicKeys) -> Succession? {
    var root = genesis.root
    for succession in successions {
      if root == keys { return succession }
      root = succession.statement.root
    }
    return nil
  }
}
