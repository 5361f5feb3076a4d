package import CofferVault

/// What taking machines or an app out of a vault does.
package struct RemovalPreview: Hashable, Sendable {
  /// A machine that is taken out, or whose admin is removed.
  package struct Machine: Hashable, Sendable {
    /// The machine's identifier, in hexadecimal.
    package let id: String
    package let name: String
  }

  /// A machine that stays in the vault as a member.
  package struct FormerAdmin: Hashable, Sendable {
    package let machine: Machine
    /// The identifiers of the apps that it keeps.
    package let apps: [String]
  }

  /// The machines that are taken out, in ascending order of name.
  package let machines: [Machine]
  /// The machine whose admin is removed; nil if none is.
  package let formerAdmin: FormerAdmin?
  /// The identifiers of the apps that lose their rights there.
  package let apps: [String]
  /// The full names of the access groups that get new keys.
  package let groups: [String]
  /// The number of items in these groups, whose values may be known.
  package let itemCount: Int
  /// The number of records by these machines and apps, which stay valid.
  package let recordCount: Int
  /// What identifies the machines, authors and groups, for ``Removal/run(as:confirming:)``.
  package let scope: String
  /// Whether the vault key is needed, because an admin is taken out.
  package let needsVaultKey: Bool
  /// What other machines have seen of the log and this one has not, as clauses whose subject is the remote.
  package let claims: [String]

  /// What this removal does and another one does not, as verb phrases. The numbers of items and records, which change all
  /// the time, are not compared.
  func words(beyond other: RemovalPreview) -> [String] {
    var words: [String] = []
    func compare(_ own: [String], _ others: [String], _ phrase: (String) -> String) {
      let more = own.filter { !others.contains($0) }
      if !more.isEmpty { words.append(phrase(more.joined(separator: ", "))) }
    }
    compare(apps, other.apps) { "end the rights of \($0)" }
    compare(groups, other.groups) { "replace the keys of \($0)" }
    if needsVaultKey && !other.needsVaultKey { words.append("take out an admin") }
    return words
  }

  /// The error for a removal whose preview has another scope by now than the one that was confirmed.
  package static let changed = VaultError(
    .itemChanged, "the vault has changed since this was shown; nothing was taken out",
    recoverySuggestion: "look at what is taken out, and confirm it again")
}
