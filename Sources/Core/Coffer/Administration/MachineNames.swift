package import CofferFormat
internal import CofferSystem
package import CofferTrust
package import CofferVault

extension LocalVault {
  /// Returns the machines of the vault but this one. Throws `notFound` if there is no other.
  package func otherMachines() throws(VaultError) -> [DeviceID] {
    let membership = try membership()
    let own = machine(in: membership)?.id
    let others = membership.members.map(\.id).filter { $0 != own }.sorted()
    guard !others.isEmpty else {
      throw VaultError(
        .itemNotFound, "the vault has no other machine", recoverySuggestion: "see them all with: coffer device list")
    }
    return others
  }

  package func isThisMachine(_ machine: DeviceID) throws(VaultError) -> Bool {
    try self.machine(in: membership())?.id == machine
  }

  /// Returns the machine in the vault that a user means: by the owner's name for it or, if names are equal, the first
  /// characters of its identifier. Throws `notFound` if no machine, or more than one, has the name.
  package func memberMachine(named name: String) throws(VaultError) -> DeviceID {
    let membership = try membership()
    let members = membership.members
    let named = members.filter { $0.name == name }
    let found = named.isEmpty && name.utf8.count >= 4 ? members.filter { $0.id.description.hasPrefix(name) } : named
    if found.count == 1 { return found[0].id }
    if found.isEmpty, let revoked = membership.devices.values.first(where: { $0.name == name && $0.revocation != nil }),
      let error = membership.removalError(of: revoked.id)
    {
      throw error
    }
    let list = members.map { "\($0.name.sanitizedForTerminal()) (\($0.id.description.prefix(8)))" }.sorted()
    // Without a remote, no machine is unknown here.
    let mayComeLater = try remote() != nil && found.isEmpty
    let later = mayComeLater ? "; receive later ones with: coffer sync" : ""
    throw VaultError(
      .itemNotFound,
      found.isEmpty
        ? "no machine of this vault is named \(name.sanitizedForTerminal())"
        : "\(found.count) machines are named \(name.sanitizedForTerminal())",
      recoverySuggestion:
        "name one by its name, or by the beginning of its identifier: \(list.joined(separator: ", "))\(later)")
  }
}

extension Membership {
  /// Returns a machine that is in the vault. Throws `itemNotFound` if it was removed, or if the log does not contain
  /// it.
  package func memberMachine(_ id: DeviceID) throws(VaultError) -> Device {
    if let error = removalError(of: id) { throw error }
    guard let device = devices[id] else {
      throw VaultError(
        .itemNotFound, "the machine \(id.description.prefix(8)) is not in this vault",
        recoverySuggestion: "see the machines with: coffer device list")
    }
    return device
  }
}

extension Membership {
  /// Returns a name for a new machine: the given one or, if a machine has it, that one with the smallest free number:
  /// `laptop-2`.
  package func unusedDeviceName(_ name: String) -> String {
    let used = Set(devices.values.map(\.name))
    var candidate = name
    var number = 2
    while used.contains(candidate) {
      let suffix = "-\(number)"
      var stem = name
      while stem.utf8.count + suffix.utf8.count > Limits.deviceNameByteCount { stem.removeLast() }
      candidate = stem + suffix
      number += 1
    }
    return candidate
  }
}

extension LocalVault {
  /// Returns the principals of an app whose keys may be in files that other programs of a user can read: those on this
  /// machine that root has not installed, and all on others, because the log does not show how another machine keeps a
  /// key.
  package func principalsInFiles(of application: ApplicationID, in membership: Membership) -> [Author] {
    let here = machine(in: membership)?.id
    let installed = InstalledApp(application.bundleID).ownUser(of: application)?.author
    return membership.holders(of: application).compactMap { membership.authors[$0] }
      .filter { $0.device != here || $0.id.description != installed }
  }
}

extension Membership {
  /// Returns the names of the machines of authors, in ascending order.
  package func machineNames(of authors: [Author]) -> [String] {
    Set(authors.map { devices[$0.device]?.name ?? "a machine without a name" }).sorted()
  }

  /// Returns what a command names a machine by: its name, or the beginning of its identifier if no other way tells it
  /// from another machine.
  package func commandName(of machine: DeviceID) -> String {
    let name = devices[machine]?.name
    if let name, members.count(where: { $0.name == name }) == 1 { return name }
    return String(machine.description.prefix(8))
  }
}

/// What a new machine becomes.
package enum EnrolledRole: Hashable, Sendable {
  /// An admin, with every registered app.
  case admin
  /// A member, with some apps: full application identifiers, or bundle identifiers.
  case member(apps: [String])
}
