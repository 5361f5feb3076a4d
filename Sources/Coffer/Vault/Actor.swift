internal import CofferCrypto
internal import CofferFormat
package import CofferTrust

/// What an actor may do with a group.
struct GroupAccess {
  let name: AccessGroupName
  let access: Entitlements.Access
}

/// Who acts on a vault: an app with its credential, or the machine's owner with its admin keys.
package struct VaultActor: Sendable {
  package let author: Author
  let keys: PartyKeys

  /// The app whose credential this is, checked against the log: same vault, same app, nothing rolled back.
  init(credential: Credential, membership: Membership, vault: LocalVault) throws(VaultError) {
    let file = vault.folder.path
    guard credential.genesis == membership.genesis.hash else {
      throw VaultError(
        .integrity, "the credential of \(credential.applicationID) belongs to another vault than the one at \(file)",
        mend: "the folder was exchanged; put the right vault back")
    }
    guard credential.seen.sequence <= membership.head.sequence else {
      throw VaultError(
        .integrity,
        "the membership log at \(file) ends at \(membership.head.sequence); \(credential.applicationID) has seen entry \(credential.seen.sequence)",
        mend: "an older copy was put in its place; sync, or restore the newer folder")
    }
    let id = AuthorID(vault: membership.vault, keys: credential.keys.publicKeys)
    guard let author = membership.authors[id] else {
      throw VaultError(
        .notEntitled, "this machine's credential of \(credential.applicationID) is not in the membership log",
        mend: "mint a new one with: coffer app install \(credential.applicationID)")
    }
    guard case .principal(let application, _, credential.device) = author.role,
      application.description == credential.applicationID
    else {
      throw VaultError(
        .integrity,
        "the membership log names another app or machine for this credential of \(credential.applicationID)",
        mend: "mint a new one with: coffer app install \(credential.applicationID)")
    }
    self.author = author
    keys = credential.keys
  }

  /// The machine's owner.
  init(admin keys: PartyKeys, membership: Membership) throws(VaultError) {
    let id = AuthorID(vault: membership.vault, keys: keys.publicKeys)
    guard let author = membership.authors[id], case .admin = author.role else {
      throw VaultError(
        .notEntitled, "this machine's admin keys are not in the membership log",
        mend: "clone the vault again with the vault key")
    }
    self.author = author
    self.keys = keys
  }

  /// The groups that this actor reads, in the order in which they are searched.
  func groups(in membership: Membership) -> [GroupAccess] {
    switch author.role {
    case .admin:
      membership.groups.values.map { GroupAccess(name: $0.name, access: .readWrite) }
        .sorted { $0.name.description < $1.name.description }
    case .principal(let application, _, _):
      membership.apps[application]?.entitlements.groups.map { GroupAccess(name: $0.name, access: $0.access) } ?? []
    }
  }
}
