package import CofferFormat
internal import CofferKeys
package import CofferTrust
package import CofferVault

/// How this machine keeps a file of keys.
package enum KeyProtection: String, Hashable, Sendable, Encodable {
  /// The file does not exist.
  case absent
  /// Any program of the user can read the keys.
  case open
  /// The keys are sealed under the machine's passphrase.
  case passphrase
  /// The file cannot be read, is damaged, or belongs to another vault.
  case unusable
}

/// An app's credential on this machine.
package struct CredentialStatus: Hashable, Sendable {
  package let protection: KeyProtection
  /// The principal to which the keys belong; nil if the log does not contain it.
  package let author: AuthorID?
  /// Why the app cannot use the credential; nil if it can, and if there is none.
  package let problem: VaultError?
}

extension LocalVault {
  /// How this machine keeps its owner's keys: an admin's keys, or a member's delivery key.
  package var ownerKeyProtection: KeyProtection {
    guard folder.adminFile.exists || folder.deliveryFile.exists else { return .absent }
    guard let hasPassphrase = try? hasPassphrase else { return .unusable }
    return hasPassphrase ? .passphrase : .open
  }

  /// Returns the state of an app's credential on this machine. Opens no key.
  package func credentialStatus(of application: ApplicationID, in membership: Membership) -> CredentialStatus {
    if keysInMemory != nil, let machine = machine(in: membership) {
      // A headless credential has the keys of all apps of its machine, in one file that is not sealed.
      let holders = membership.holders(of: application).intersection(membership.holders(on: machine.id))
      return CredentialStatus(protection: holders.isEmpty ? .absent : .open, author: holders.min(), problem: nil)
    }
    let file = folder.credentialFile(of: application)
    guard file.exists else { return CredentialStatus(protection: .absent, author: nil, problem: nil) }
    do throws(VaultError) {
      let credential = try Credential.read(from: file, of: application)
      let author = try credential.author(in: membership, of: self)
      return CredentialStatus(
        protection: credential.needsPassphrase ? .passphrase : .open, author: author.id, problem: nil)
    } catch {
      return CredentialStatus(protection: .unusable, author: nil, problem: error)
    }
  }
}
