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
  /// Only the program that root has installed can read the keys, or only the app uses the account.
  case installed
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
  /// What root has recorded of the credential; nil if it is an ordinary file of the user.
  package let enforcement: InstalledApp.Enforcement?
  /// Whether the app is a Flatpak, for which the broker uses the credential.
  package let isSandboxed: Bool
  /// Why the app cannot use the credential; nil if it can, and if there is none.
  package let problem: VaultError?

  fileprivate init(
    protection: KeyProtection, author: AuthorID? = nil, enforcement: InstalledApp.Enforcement? = nil,
    isSandboxed: Bool = false, problem: VaultError? = nil
  ) {
    self.protection = protection
    self.author = author
    self.enforcement = enforcement
    self.isSandboxed = isSandboxed
    self.problem = problem
  }
}

extension LocalVault {
  /// Whether this machine has a passphrase, under which its admin keys and its delivery key are sealed.
  package var hasPassphrase: Bool {
    get throws(VaultError) {
      if try isKeptAsMember { return try folder.deliveryFile.read(DeliveryFile.self).needsPassphrase }
      return try folder.adminFile.read(AdminFile.self).needsPassphrase
    }
  }

  /// Whether this machine has a member's keys: a delivery key, and none of an admin or only those of one that was
  /// removed. The removal is published and undisputed, so they never count again.
  package var isKeptAsMember: Bool {
    get throws(VaultError) {
      guard folder.deliveryFile.exists else { return false }
      guard folder.adminFile.exists else { return true }
      guard try fork() == nil else { return false }
      return try machine(in: publishedMembership())?.role == .member
    }
  }

  /// Whether this admin has a delivery file that is sealed exactly if its admin keys are.
  package var isDeliveryFileSealedAsAdminFile: Bool {
    get throws(VaultError) {
      guard folder.deliveryFile.exists else { return false }
      return try folder.deliveryFile.read(DeliveryFile.self).needsPassphrase
        == folder.adminFile.read(AdminFile.self).needsPassphrase
    }
  }

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
      return CredentialStatus(protection: holders.isEmpty ? .absent : .open, author: holders.min())
    }
    // A file of the user is the weaker one, whatever root has installed.
    let file = folder.credentialFile(named: application.description)
    let installed = InstalledApp(application.bundleID)
    let user = installed.ownUser(of: application)
    guard file.exists else {
      guard let user, user.enforcement == .group else { return CredentialStatus(protection: .absent) }
      return status(of: application, installed, user, in: membership)
    }
    do throws(VaultError) {
      let credential = try Credential.read(from: file, of: application)
      let author = try credential.author(in: membership, of: self)
      return CredentialStatus(
        protection: user?.enforcement == .account ? .installed : credential.needsPassphrase ? .passphrase : .open,
        author: author.id, enforcement: user?.enforcement == .account ? .account : nil,
        isSandboxed: SandboxedApp.isDeployed(application.bundleID))
    } catch {
      return CredentialStatus(protection: .unusable, problem: error)
    }
  }

  /// The state of a credential that this process cannot read, by what root has recorded of it.
  private func status(
    of application: ApplicationID, _ installed: InstalledApp, _ user: InstalledApp.User, in membership: Membership
  ) -> CredentialStatus {
    var problem = installed.problem
    let author = membership.holders(of: application).first { $0.description == user.author }
    if author == nil {
      problem = VaultError(
        .notEntitled, "the membership log does not let its principal do anything",
        recoverySuggestion: "give the app a new credential with: sudo coffer app install \(application.bundleID)")
    }
    return CredentialStatus(
      protection: problem == nil ? .installed : .unusable, author: author, enforcement: .group, problem: problem)
  }
}
