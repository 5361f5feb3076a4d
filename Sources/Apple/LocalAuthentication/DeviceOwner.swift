package import Coffer
internal import CofferCrypto

/// The owner of this machine, who knows the passphrase of a vault.
package struct DeviceOwner: Sendable {
  /// The vault whose owner it is.
  package let vault: Vault
  private let passphrase: OwnerPassphrase

  /// Returns the owner of the vault that Keychain calls use. Throws `passcodeNotSet` if there is no vault or its admin
  /// keys have no passphrase.
  package static func current() throws(LAError) -> DeviceOwner {
    let vault: Vault
    do throws(VaultError) {
      vault = try Vault.default
    } catch {
      throw LAError(.passcodeNotSet, "the vault cannot be opened: \(error)")
    }
    return try owner(of: vault)
  }

  /// Reads how this machine's owner of a vault is authenticated. Throws `passcodeNotSet` if the vault's admin keys have
  /// no passphrase on this machine.
  package static func owner(of vault: Vault) throws(LAError) -> DeviceOwner {
    guard let passphrase = vault.ownerPassphrase else {
      throw LAError(.passcodeNotSet, "the vault's admin keys have no passphrase on this machine")
    }
    return DeviceOwner(vault: vault, passphrase: passphrase)
  }

  /// Returns whether the passphrase is the owner's.
  package func accepts(_ typed: Passphrase) throws(LAError) -> Bool {
    do throws(VaultError) {
      return try passphrase.accepts(typed.secret)
    } catch {
      throw LAError(.authenticationFailed, error.description)
    }
  }
}
