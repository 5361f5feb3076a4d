internal import CofferCrypto
package import CofferFormat
package import CofferStore
internal import CofferSystem
package import CofferTrust

extension LocalVault {
  /// Returns this machine as the log names it; nil if it is not in the log, or its keys cannot be read.
  package func machine(in membership: Membership) -> Device? {
    guard let keys = try? deviceFile().keys.publicKeys else { return nil }
    return membership.devices[DeviceID(vault: membership.vault, keys: keys)]
  }

  /// The error for what this machine cannot do because it was revoked; nil if it was not. A machine that was revoked with a
  /// new transport key cannot read the entries after its revocation.
  package func revocationError() throws(VaultError) -> VaultError? {
    let chain = try translatingErrors { try store.read { try branches(in: $0).chain } }
    let remote = try remote()
    return machine(in: chain).flatMap { chain.revocationError(of: $0.id, remote: remote) }
  }

  /// Throws `notEntitled` if the log revokes a machine, also if entries are missing that belong to the revocation: the
  /// machine itself cannot read them. Then it must not write, because nothing of it counts on others.
  package func checkNotRevoked(_ device: DeviceID, in reader: borrowing some StoreAccess & ~Copyable) throws {
    let remote = try reader.setting(.remoteURL).flatMap { String(validating: $0, as: UTF8.self) }
    if let error = try branches(in: reader).chain.revocationError(of: device, remote: remote) { throw error }
  }

  /// The name of this machine for prompts; "this machine" if the log does not name it.
  package var machineName: String {
    guard let membership = try? membership() else { return "this machine" }
    return machine(in: membership)?.name.sanitizedForTerminal() ?? "this machine"
  }

  /// Reads this machine's keys and checks that they belong to this vault.
  package func deviceFile() throws(VaultError) -> DeviceFile {
    if let keysInMemory { return keysInMemory }
    return try folder.deviceFile.read(of: membership().genesis.hash)
  }
}
