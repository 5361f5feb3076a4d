internal import Coffer
package import CofferAdministration

/// What a person is about to remove from the vault, and what that does.
package struct InspectedRemoval: Sendable {
  /// What is removed.
  package enum Subject: Hashable, Sendable {
    /// A machine with everything on it, by its identifier.
    case machine(String)
    /// An app by its full identifier: on every machine, or on the machine with an identifier.
    case app(String, onMachine: String?)
  }

  package let subject: Subject
  /// The bundle identifier of the app; nil for a machine.
  package let app: String?
  /// The name of the machine, safe to show; nil for an app on every machine.
  package let machine: String?
  package let preview: RemovalPreview
  /// Whether this machine's passphrase has to be given.
  package let requiresPassphrase: Bool
  /// The command that removes a machine with the vault key.
  package let command: String?
  let removed: Removal.Subject
}
