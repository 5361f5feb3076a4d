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
}
