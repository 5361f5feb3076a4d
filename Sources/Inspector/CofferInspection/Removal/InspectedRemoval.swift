internal import Coffer
package import CofferAdministration
package import CofferCrypto
package import CofferFormat
internal import CofferSystem
internal import CofferTrust
package import CofferVault

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

/// One thing that a removal does, for pages and terminals.
package struct RemovalEffect: Sendable {
  /// What is affected. The names of machines and of apps on them are safe to show.
  package enum Subject: Sendable {
    case apps([String])
    case groups([String])
    case others([String])
    case number(Int)
  }

  package let title: String
  package let subject: Subject
  /// What to know or to do about it, as a clause.
  package var note: String?

  /// The effect as a line.
  package var line: String {
    let text =
      switch subject {
      case .apps(let names), .groups(let names), .others(let names):
        names.isEmpty ? "none" : names.joined(separator: ", ")
      case .number(let number): number.grouped
      }
    return "\(title): \(text)\(note.map { "; \($0)." } ?? "")"
  }
}

extension RemovalPreview {
  /// What the removal does.
  package var effects: [RemovalEffect] {
    var effects: [RemovalEffect] = []
    if let formerAdmin {
      let kept = formerAdmin.apps.isEmpty ? "no app" : formerAdmin.apps.joined(separator: ", ")
      effects.append(
        RemovalEffect(
          title: "No admin any more",
          subject: .others(["\(formerAdmin.machine.words), which stays in the vault with \(kept)"])))
    }
    if !machines.isEmpty { effects.append(RemovalEffect(title: "Machines", subject: .others(machines.map(\.words)))) }
    if !apps.isEmpty { effects.append(RemovalEffect(title: "Apps that lose their rights there", subject: .apps(apps))) }
    if !deliveredApps.isEmpty {
      effects.append(
        RemovalEffect(
          title: "Apps whose keys this admin made, which lose their rights there",
          subject: .others(deliveredApps.map(\.words))))
    }
    effects += [
      RemovalEffect(title: "Access groups that get new keys", subject: .groups(groups)),
      RemovalEffect(
        title: "Items that could be read", subject: .number(itemCount),
        note: itemCount > 0 ? "their values should be replaced" : nil),
      RemovalEffect(title: "Records that they wrote and that stay valid", subject: .number(recordCount)),
    ]
    if !enrolledMachines.isEmpty {
      effects.append(
        RemovalEffect(
          title: "Machines that it enrolled and that stay", subject: .others(enrolledMachines.map(\.words)),
          note: "remove them too if you do not know them"))
    }
    return effects
  }
}

extension InspectedVault {
  /// Returns what removing a machine or an app from the vault does, by the log as it is here, to be shown before
  /// ``remove(_:confirming:passphrase:)``. Throws `itemNotFound` if the log does not contain the machine or the app,
  /// and `invalidArgument` if it was removed before, or if it may not be.
  package func removal(of subject: InspectedRemoval.Subject) throws(VaultError) -> InspectedRemoval {
    let membership = try local.membership()
    let removed: Removal.Subject
    let app: ApplicationID?
    let machine: Device?
    switch subject {
    case .machine(let id):
      let device = try Self.machine(id, in: membership)
      (app, machine, removed) = (nil, device, .machines([device.id]))
    case .app(let id, let place):
      guard let found = ApplicationID(id), membership.apps[found] != nil else { throw Self.unknownApp }
      let device = try place.map { id throws(VaultError) in try Self.machine(id, in: membership) }
      (app, machine, removed) = (found, device, .app(found, on: device?.id))
    }
    return InspectedRemoval(
      subject: subject, app: app?.bundleID.description, machine: machine.map { membership.name(of: $0.id) },
      preview: try Removal(of: removed, from: local).preview(), requiresPassphrase: try local.hasPassphrase,
      command: app == nil ? machine.map { Self.command(revoking: $0, in: membership) } : nil, removed: removed)
  }

  /// Verifies what a person has confirmed, before anything else is done: `scope` is ``RemovalPreview/scope`` of the
  /// removal that was shown. `attempt` calls its argument, which tries the passphrase: it can count wrong ones, and
  /// refuse to try any. Throws `itemChanged` if something else was shown, `notEntitled` if the vault key is needed, and
  /// `authenticationFailed` for a missing or wrong passphrase.
  package func check(
    _ removal: InspectedRemoval, confirming scope: String, passphrase: SecretText?, attempt: PassphraseAttempt
  ) throws(VaultError) {
    guard removal.preview.scope == scope else { throw RemovalPreview.changed }
    guard !removal.preview.needsVaultKey else {
      throw VaultError(
        .notEntitled, "only the vault key removes an admin's machine from the vault",
        recoverySuggestion: "run the command in a terminal, which asks for it")
    }
    if removal.requiresPassphrase { try check(passphrase, attempt: attempt) }
  }

  /// Verifies the passphrase of this machine before something is signed with it, as
  /// ``check(_:confirming:passphrase:attempt:)`` does.
  package func check(_ passphrase: SecretText?, attempt: PassphraseAttempt) throws(VaultError) {
    guard let owner = vault.ownerPassphrase else { return }
    guard let passphrase else {
      throw VaultError(.authenticationFailed, "this machine's passphrase is needed", recoverySuggestion: "enter it")
    }
    try attempt { () throws(VaultError) in
      guard try owner.accepts(passphrase) else {
        throw VaultError(.authenticationFailed, "the passphrase is wrong", recoverySuggestion: "enter it again")
      }
    }
  }

  /// Appends the removal to the log. As ``Removal/run(as:confirming:despiteNewRecords:)``: call it again if it was not
  /// published. `scope` is ``RemovalPreview/scope`` of the removal that was confirmed; `itemChanged` is thrown if
  /// something else would be removed by now. The passphrase is nil if this machine's admin keys need none. With
  /// `despiteNewRecords`, records that arrive before the push are refused instead of preventing it.
  package func remove(
    _ removal: InspectedRemoval, confirming scope: String, passphrase: SecretText?, despiteNewRecords: Bool = false
  ) throws(VaultError) -> LogPosition? {
    try Removal(of: removal.removed, from: local)
      .run(as: .admin(Self.source(of: passphrase)), confirming: scope, despiteNewRecords: despiteNewRecords)
  }

  /// What answers with a passphrase that a person has given.
  static func source(of passphrase: SecretText?) -> PassphraseSource {
    passphrase.map { given in PassphraseSource { (_) throws(VaultError) in given } } ?? .unavailable
  }

  /// The error for a machine that the log does not contain.
  package static let unknownMachine = VaultError(
    .itemNotFound, "the vault has no such machine", recoverySuggestion: "choose one from the list of machines")

  private static func machine(_ id: String, in membership: Membership) throws(VaultError) -> Device {
    guard let device = membership.devices.values.first(where: { $0.id.description == id }) else { throw unknownMachine }
    return device
  }

  /// The command for a terminal. A name that another machine has, or that cannot be typed, gives way to the identifier.
  private static func command(revoking machine: Device, in membership: Membership) -> String {
    let isTypable = machine.name.sanitizedForTerminal(limit: .max) == machine.name
    let isUnique = membership.members.count { $0.name == machine.name } == 1
    return NextCommand.line("device revoke", [isTypable && isUnique ? machine.name : machine.id.description])
  }
}
