package import Coffer
internal import CofferCrypto

/// The owner of this machine, known by the passphrase of the vault that Keychain calls use.
package struct DeviceOwner: Sendable {
  /// Which vault's owner.
  package let vault: String
  private let passphrase: OwnerPassphrase

  /// Throws `passcodeNotSet` where there is no passphrase that could be asked for.
  package init() throws(LAError) {
    let vault: Vault
    do throws(VaultError) {
      vault = try Vault.shared
    } catch {
      throw LAError(.passcodeNotSet, "there is no vault: \(error)")
    }
    try self.init(of: vault)
  }

  /// The owner of the machine that a vault lies on.
  package init(of vault: Vault) throws(LAError) {
    guard let passphrase = vault.ownerPassphrase else {
      throw LAError(.passcodeNotSet, "this machine's admin keys are under no passphrase")
    }
    self.vault = vault.identifier
    self.passphrase = passphrase
  }

  /// True where the passphrase is the owner's.
  package func accepts(_ typed: Passphrase) throws(LAError) -> Bool {
    var bytes = typed.copyBytes()
    defer { bytes.wipe() }
    do throws(VaultError) {
      return try passphrase.accepts(bytes)
    } catch {
      throw LAError(.authenticationFailed, error.description)
    }
  }
}
