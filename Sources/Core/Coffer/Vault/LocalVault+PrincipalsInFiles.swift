package import CofferFormat
package import CofferTrust
package import CofferVault

extension LocalVault {
  /// Returns the principals of an app whose keys may be in files that other programs of a user can read: those on this machine
  /// that root has not installed, and all on others, because the log does not show how another machine keeps a key.
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

  /// Returns what a command names a machine by: its name, or the beginning of its identifier if no other way tells it from
  /// another machine.
  package func commandName(of machine: DeviceID) -> String {
    let name = devices[machine]?.name
    if let name, members.count(where: { $0.name == name }) == 1 { return name }
    return String(machine.description.prefix(8))
  }
}
