package import CofferCrypto
package import CofferFormat
internal import CofferKeys
internal import CofferTrust
package import CofferVault

/// The keys of authors on this machine that are sealed under its passphrase: the owner's, and those of locked apps.
package enum PassphraseKeys {
  /// Opens all of them with one passphrase.
  ///
  /// - Parameters:
  ///   - local: The vault.
  ///   - source: The source of the passphrase, which is asked until it is right.
  /// - Returns: The keys by author. Empty if nothing is sealed; nobody is asked then.
  /// - Throws: ``VaultError``: `authenticationFailed` for a wrong passphrase.
  package static func open(
    in local: LocalVault, passphrase source: PassphraseSource
  ) throws(VaultError) -> [(author: AuthorID, keys: PartyKeys)] {
    let membership = try local.settledMembership()
    let source = source.rememberingFirst()
    var opened: [(author: AuthorID, keys: PartyKeys)] = []
    if local.machine(in: membership)?.admin != nil, local.folder.adminFile.exists,
      try local.folder.adminFile.read(AdminFile.self).needsPassphrase
    {
      let keys = try AdminKeys.open(local, in: membership, passphrase: source)
      opened.append((AuthorID(vault: membership.vault, keys: keys.publicKeys), keys))
    }
    let machine = local.machine(in: membership)?.name
    for application in membership.apps.keys.sorted(by: { $0.description < $1.description }) {
      let file = local.folder.credentialFile(of: application)
      guard file.exists, let credential = try? Credential.read(from: file, of: application), credential.needsPassphrase,
        membership.authors[credential.author]?.cut == nil
      else { continue }
      let keys = try source.open { (passphrase) throws(VaultError) in
        try credential.keys(passphrase: passphrase, vault: membership.vault, machine: machine)
      }
      opened.append((credential.author, keys))
    }
    return opened
  }
}
