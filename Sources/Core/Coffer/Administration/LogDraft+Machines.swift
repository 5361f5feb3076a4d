package import CofferCrypto
package import CofferFormat
package import CofferTrust
internal import CofferVault

extension LogDraft {
  /// Enrols a machine. Root signs if it becomes an admin. Throws `invalidArgument` if the log would reject the machine.
  package mutating func enrol(
    _ machine: DeviceStatement, by signer: LogEntry.Signer, key: SigningKey
  ) throws(VaultError) -> DeviceID {
    try append(.device(machine), by: signer, key: key)
    return DeviceID(vault: membership.vault, keys: machine.keys)
  }

  /// Makes keys for an app on a machine, and seals them to the machine. The keys of the app's groups have to follow.
  /// Throws `itemNotFound` if the machine was removed, and `invalidArgument` if it has no delivery key.
  @discardableResult
  package mutating func deliver(
    _ app: App, to machine: DeviceID, by signer: LogEntry.Signer, key: SigningKey
  ) throws(VaultError) -> PartyKeys {
    let keys = PartyKeys.random()
    let delivery = try delivery(of: keys, to: machine)
    try append(
      .principal(
        PrincipalStatement(app: app.registration, device: machine, keys: keys.publicKeys, delivery: delivery)),
      by: signer, key: key)
    return keys
  }

  /// Makes a member an admin, and seals its keys and those of all groups to it. Throws `invalidArgument` if the log
  /// would reject it.
  package mutating func appoint(_ machine: DeviceID, with root: PartyKeys) throws(VaultError) {
    let keys = PartyKeys.random()
    let delivery = try delivery(of: keys, to: machine)
    try append(
      .appointment(AppointmentStatement(device: machine, adminKeys: keys.publicKeys, delivery: delivery)),
      by: .root, key: root.signing)
    for group in membership.groups.values.sorted(by: { $0.id < $1.id }) {
      try grantMissingBoxes(of: group.name, openedAs: .root, with: root.agreement, by: .root, key: root.signing)
    }
  }

  private func delivery(of keys: PartyKeys, to machine: DeviceID) throws(VaultError) -> DeliveredKeys {
    guard let recipient = try membership.memberMachine(machine).deliveryKey else {
      throw VaultError(
        .invalidArgument, "\(membership.name(of: machine)) is a headless credential, whose apps do not change",
        recoverySuggestion: "create a new one with all of its apps: \(HeadlessVault.createCommand)")
    }
    do throws(CryptoError) {
      return try DeliveredKeys(sealing: keys, to: recipient)
    } catch {
      throw VaultError(
        .integrity, "the delivery key of \(membership.name(of: machine)) in the log cannot be used",
        recoverySuggestion: "remove the machine with `coffer device revoke`, and clone the vault there again")
    }
  }
}
