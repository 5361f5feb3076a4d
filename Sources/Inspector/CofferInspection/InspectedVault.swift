package import Coffer
package import CofferAdministration
package import CofferCrypto
internal import CofferSystem
package import CofferVault

/// A vault that a person looks at. All calls block while they read or write; call them on threads that may.
package final class InspectedVault: Sendable {
  package let vault: Vault
  package let local: LocalVault
  let index: ItemIndex
  let deletions = UndoableDeletions()
  let comparison = StoreComparison()
  let replacementCount = ReplacementCount()
  let passwordDigests = PasswordDigests()

  package init(vault: Vault, local: LocalVault) {
    self.vault = vault
    self.local = local
    index = ItemIndex(vault)
  }

  /// Locks the vault, and overwrites what searches keep in memory.
  package func lock() {
    vault.lock()
    index.wipe()
    deletions.removeAll()
    passwordDigests.removeAll()
  }
}

extension InspectedVault {
  /// Returns who may read and write what: apps, machines, the graph, and explanations. `withActivity` also reads when
  /// each author wrote last, from every record's row.
  package func access(withActivity: Bool = true) throws(VaultError) -> AccessFacts {
    try AccessFacts.read(from: local, withActivity: withActivity)
  }

  /// Returns a part of the membership log, newest entry first. As ``LogPage/read(from:before:limit:)``.
  package func logPage(before: UInt64? = nil, limit: Int = LogPage.standardLimit) throws(VaultError) -> LogPage {
    try LogPage.read(from: local, before: before, limit: limit)
  }

  /// Explains why an app can or cannot read an item, or all items of a group, on this machine. The app's name is its
  /// full identifier, or a bundle identifier that is unique in the vault; the group's is with or without the team's
  /// prefix. Throws `itemNotFound` if the group has no such item.
  package func explanation(
    ofApp app: String, group: String, item: PersistentReference? = nil
  ) throws(VaultError) -> AccessExplanation {
    let facts = try access(withActivity: false)
    guard let item else { return facts.explanation(ofApp: app, group: group) }
    guard
      let found = try vault.find(
        ItemSearch(item.itemClass, group: group, reference: item.identifier, limit: 1), withValues: false
      ).first
    else {
      throw VaultError(
        .itemNotFound, "there is no such item in \(group.sanitizedForTerminal())",
        recoverySuggestion: "choose one from the list")
    }
    return facts.explanation(ofApp: app, group: found.group, item: found)
  }
}

extension InspectedVault {
  /// A passphrase with fewer bytes is short: whoever copies this machine's files can find it by trying.
  package static let shortPassphraseByteCount = 8

  package var hasPassphrase: Bool {
    get throws(VaultError) { try local.hasPassphrase }
  }

  /// Changes this machine's passphrase, or sets the first one, as `coffer passphrase` does.
  ///
  /// `current` is nil for a machine without a passphrase. `attempt` calls its argument, which tries the current
  /// passphrase: it can count wrong ones, and refuse to try any. Throws `invalidArgument` for a new passphrase that is
  /// empty, overlong or not the repeated one, and `authenticationFailed` for a missing or wrong current one. If it
  /// throws, the old passphrase still counts.
  package func changePassphrase(
    from current: SecretText?, to new: SecretText, repeated: SecretText,
    attempt: PassphraseAttempt = { (body) throws(VaultError) in try body() }
  ) throws(VaultError) {
    guard !new.isEmpty else {
      throw VaultError(.invalidArgument, "the new passphrase is empty", recoverySuggestion: "choose one")
    }
    guard new == repeated else {
      throw VaultError(
        .invalidArgument, "the two new passphrases differ", recoverySuggestion: "type the same one in both fields")
    }
    guard try local.hasPassphrase else {
      try PassphraseChange.begin(local, current: .unavailable).finish(new)
      return
    }
    guard let current else {
      throw VaultError(
        .authenticationFailed, "this machine's passphrase is needed", recoverySuggestion: "enter it")
    }
    // One that is sealed under the old passphrase by then is opened with it again, so it is kept until the end.
    let source = PassphraseSource { (_) throws(VaultError) in current }
    var change: PassphraseChange?
    try attempt { () throws(VaultError) in change = try PassphraseChange.begin(local, current: source) }
    try change?.finish(new)
  }
}
