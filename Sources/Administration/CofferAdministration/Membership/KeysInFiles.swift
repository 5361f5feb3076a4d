internal import Coffer
internal import CofferSystem
package import CofferTrust

/// Keys of an app that may be in files on a machine, although a group of the app forbids that.
package struct KeysInFiles: Hashable, Sendable {
  package let application: ApplicationID
  /// The machine's name, or the beginning of its identifier if another machine has the same name.
  package let machine: String

  package init(of application: ApplicationID, on machine: String) {
    self.application = application
    self.machine = machine
  }

  /// The command that takes their rights from them, and gives the app's groups new keys.
  package var revocation: String { "coffer app remove \(application.bundleID) --device \(machine.shellWord)" }

  /// What protects them with a passphrase, so that a lease guards them, as the words of an instruction.
  package var sealing: String {
    OwnApps.contains(application)
      ? "run `coffer passphrase change` on \(machine.sanitizedForTerminal()), or `coffer passphrase set` if it has none"
      : "register the app again with: coffer app add --locked \(application.bundleID)"
  }
}
