package import Coffer
internal import CofferCrypto
package import CofferFormat
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
package import CofferVault

/// Takes items off the list of what to replace after a revocation, or puts them back on it.
package struct DismissalChange: Sendable {
  private let items: [EntryHash: Set<ItemAddress>]
  private let reason: String
  private let local: LocalVault
  private let despiteClaims: Bool

  /// Takes each item with the revocation after which it is on the list, and why its value stays as it is. Without a
  /// reason, the values have to be replaced after all. With `despiteClaims`, changes the log although another machine
  /// has seen entries of it that this one lacks.
  package init(
    of items: [ExposedItem], reason: String?, in local: LocalVault, despiteClaims: Bool = false
  ) throws(VaultError) {
    if let reason { try Self.check(reason: reason) }
    self.items = items.reduce(into: [:]) { $0[$1.exposure.position.hash, default: []].insert($1.address) }
    self.reason = reason ?? ""
    self.local = local
    self.despiteClaims = despiteClaims
  }

  /// Checks a reason: one line of 1 to 256 bytes that shows as itself on a terminal.
  package static func check(reason: String) throws(VaultError) {
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

  /// Appends the statements to the log, all or nothing. Items that another admin has dismissed, or put back, meanwhile
  /// are left out. Call it again if it was not published, because another machine's entries came first. Returns nil if
  /// there was nothing to change. Throws `notEntitled` without admin keys.
  package func run(passphrase: PassphraseSource) throws(VaultError) -> LogPosition? {
    let session = try AdminSession.open(local, despiteClaims: despiteClaims, passphrase: passphrase)
    return try session.change(despiteClaims: despiteClaims) { draft in
      let membership = draft.membership
      for (revocation, items) in items.sorted(by: { $0.key.raw < $1.key.raw }) {
        let open = items.filter { (membership.dismissal(of: $0, after: revocation) == nil) != reason.isEmpty }.sorted()
        for start in stride(from: 0, to: open.count, by: Limits.dismissedItems) {
          let part = open[start..<min(start + Limits.dismissedItems, open.count)]
          try draft.append(
            .dismissal(DismissalStatement(of: part, after: revocation, reason: reason)), by: session.signer,
            key: session.keys.signing)
        }
      }
    }.position
  }
}

extension StoreAccess where Self: ~Copyable {
  /// Returns the number of items that were not written since somebody who could read them was removed, or since the vault
  /// key was replaced, and that nobody has dismissed. It needs no key that opens items, and therefore leaves out items that were written again with the same
  /// value.
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
