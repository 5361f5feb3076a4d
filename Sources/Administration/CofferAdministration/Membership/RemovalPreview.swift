internal import Coffer
internal import CofferSystem
package import CofferVault

/// What removing machines or an app from a vault does.
package struct RemovalPreview: Hashable, Sendable {
  /// A machine that is removed, or whose admin is removed.
  package struct Machine: Hashable, Comparable, Sendable {
    /// The machine's identifier, in hexadecimal.
    package let id: String
    package let name: String

    package static func < (left: Machine, right: Machine) -> Bool {
      (left.name, left.id) < (right.name, right.id)
    }
  }

  /// An app on a machine that stays, whose keys an admin has made who is removed.
  package struct DeliveredApp: Hashable, Sendable {
    /// The app's identifier.
    package let app: String
    package let machine: Machine
    /// Whether the machine only reads: its keys are in a headless credential.
    let isReadOnly: Bool
  }

  /// A machine that stays in the vault as a member.
  package struct FormerAdmin: Hashable, Sendable {
    package let machine: Machine
    /// The identifiers of the apps that it keeps.
    package let apps: [String]
  }

  /// The machines that are removed, in ascending order of name.
  package let machines: [Machine]
  /// The machine whose admin is removed; nil if none is.
  package let formerAdmin: FormerAdmin?
  /// The identifiers of the apps that lose their rights there.
  package let apps: [String]
  /// The apps on machines that stay whose keys an admin has made who is removed. They lose their rights there: it could
  /// go on reading and writing as them.
  package let deliveredApps: [DeliveredApp]
  /// The machines that such an admin has enrolled, and that stay.
  package let enrolledMachines: [Machine]
  /// The full names of the access groups that get new keys.
  package let groups: [String]
  /// The number of items in these groups, whose values may be known.
  package let itemCount: Int
  /// The number of records by these machines and apps, which stay valid.
  package let recordCount: Int
  /// What identifies the machines, authors and groups, for ``Removal/run(as:confirming:)``.
  package let scope: String
  /// Whether the vault key is needed, because an admin is removed.
  package let needsVaultKey: Bool
  /// What other machines have seen of the log and this one has not, as clauses whose subject is the remote.
  package let claims: [String]

  /// What this removal does and another one does not, as verb phrases. The numbers of items and records, which change all
  /// the time, are not compared.
  func words(beyond other: RemovalPreview) -> [String] {
    var words: [String] = []
    func compare<Part: Hashable>(
      _ own: [Part], _ others: [Part], _ name: (Part) -> String, _ phrase: (String) -> String
    ) {
      let more = Set(own).subtracting(others)
      if !more.isEmpty { words.append(phrase(own.filter(more.contains).map(name).joined(separator: ", "))) }
    }
    compare(apps, other.apps, \.self) { "end the rights of \($0)" }
    compare(deliveredApps, other.deliveredApps, \.words) { "end the rights of \($0)" }
    compare(groups, other.groups, \.self) { "replace the keys of \($0)" }
    compare(enrolledMachines, other.enrolledMachines, \.words) { "leave \($0), which the removed admin enrolled" }
    if needsVaultKey && !other.needsVaultKey { words.append("remove an admin") }
    return words
  }

  /// The error for a removal whose preview has another scope by now than the one that was confirmed.
  package static let changed = VaultError(
    .itemChanged, "the vault has changed since this was shown; nothing was removed",
    recoverySuggestion: "look at what is removed, and confirm it again")
}

extension RemovalPreview.Machine {
  /// The name, safe to show.
  package var words: String { name.sanitizedForTerminal() }
}

extension RemovalPreview.DeliveredApp {
  /// The app and the machine, safe to show.
  package var words: String { "\(app) on \(machine.words)" }

  /// How to give the app to the machine again, as an instruction.
  package var advice: String {
    guard !isReadOnly else { return "make another credential on an admin: coffer device create" }
    let command = "coffer app install \(app)"
    return "run on an admin: \(command) --on \(machine.name.shellWord); then on \(machine.words): \(command)"
  }
}
