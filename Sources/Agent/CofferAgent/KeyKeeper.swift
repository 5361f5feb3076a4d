package import CofferCrypto
package import CofferFormat
package import CofferTrust
package import CofferVault

/// Keeps keys that are sealed under this machine's passphrase while they are not needed, so that it is typed once and not
/// for each command.
package protocol KeyKeeper: Sendable {
  /// Returns what does an author's work, with its keys elsewhere; nil if nobody keeps them.
  ///
  /// - Parameters:
  ///   - author: The author.
  ///   - groups: The access groups that are going to be used. A person may be asked now, and not within a transaction.
  ///   - local: The vault.
  /// - Returns: What does the author's work.
  /// - Throws: ``VaultError``: `authenticationCancelled` if a person refuses; `locked` if nobody can be asked.
  func keys(
    of author: AuthorID, for groups: [RegisteredGroup], in local: LocalVault
  ) throws(VaultError) -> (any AuthorKeys)?

  /// Takes an author's keys, which a passphrase has opened. It is no error if nobody keeps them.
  func keep(_ keys: PartyKeys, of author: AuthorID, in local: LocalVault)
}
