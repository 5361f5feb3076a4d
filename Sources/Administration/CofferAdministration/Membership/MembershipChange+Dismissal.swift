package import Coffer
internal import CofferCrypto
package import CofferFormat
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
package import CofferVault

extension MembershipChange {
  /// Checks a reason: one line of 1 to 256 bytes that shows as itself on a terminal.
  package static func checkDismissal(reason: String) throws(VaultError) {
    guard reason.contains(where: { !$0.isWhitespace }) else {
      throw VaultError(
        .invalidArgument, "the reason is empty; nothing was changed",
        recoverySuggestion: "say why the value needs no replacement: the other admins see it")
    }
    guard reason.utf8.count <= Limits.dismissalReasonByteCount else {
      throw VaultError(
        .invalidArgument, "the reason has \(reason.utf8.count) bytes; nothing was changed",
        recoverySuggestion: "use at most \(Limits.dismissalReasonByteCount) bytes")
    }
    guard reason.unicodeScalars.allSatisfy(\.isSafeForTerminal) else {
      throw VaultError(
        .invalidArgument, "the reason contains a control character or an invisible one; nothing was changed",
        recoverySuggestion: "write it as one line of text")
    }
  }

  /// Takes items off the list of what to replace after a revocation, with the reason why their values stay as they are,
  /// or puts them back on it without a reason. Items that another admin has dismissed, or put back, meanwhile are left
  /// out. Throws what ``checkDismissal(reason:)`` throws.
  package func dismiss(
    _ items: [ExposedItem], reason: String?, passphrase: PassphraseSource
  ) throws(VaultError) -> LogPosition? {
    if let reason { try Self.checkDismissal(reason: reason) }
    let reason = reason ?? ""
    let all = items.reduce(into: [:]) { $0[$1.exposure.position.hash, default: Set()].insert($1.address) }
    return try sign(with: passphrase) { session, draft in
      let membership = draft.membership
      for (revocation, items) in all.sorted(by: { $0.key.raw < $1.key.raw }) {
        let open = items.filter { (membership.dismissal(of: $0, after: revocation) == nil) != reason.isEmpty }.sorted()
        for start in stride(from: 0, to: open.count, by: Limits.dismissedItems) {
          let part = open[start..<min(start + Limits.dismissedItems, open.count)]
          try draft.append(
            .dismissal(DismissalStatement(of: part, after: revocation, reason: reason)), by: session.signer,
            key: session.keys.signing)
        }
      }
    }
  }
}

extension StoreAccess where Self: ~Copyable {
  /// Returns the number of items that were not written since somebody who could read them was removed, or since the
  /// vault key was replaced, and that nobody has dismissed. It needs no key that opens items, and therefore leaves out
  /// items that were written again with the same value.
  func replacementCount(in membership: Membership) throws -> Int {
    try membership.keyRenewals.reduce(0) { count, renewed in
      guard let last = renewed.value.last else { return count }
      return try items(in: renewed.key, sealedBefore: last.generation).reduce(count) { count, item in
        let address = ItemAddress(group: renewed.key, item: item)
        return membership.dismissal(of: address, after: last.position.hash) == nil ? count + 1 : count
      }
    }
  }
}
