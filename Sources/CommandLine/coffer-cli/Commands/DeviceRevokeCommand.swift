internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferFormat
internal import CofferInspection
internal import CofferTerminal
internal import CofferVault

struct DeviceRevokeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Remove machines from the vault.",
    discussion: """
      For a machine that was lost, stolen or given away. Nothing that it writes from now on counts on other machines, and \
      it gets no new keys: it opens nothing that is written after the other machines have synced. What it could read \
      before, it may have kept: replace those passwords.

      What it wrote before stays valid. If it goes on writing while this command runs, what arrives late is refused, even \
      if it was written before: see `coffer refused`, which can also adopt it.

      The vault key is needed to remove an admin, so that a stolen machine cannot do this to the others. With the vault \
      key, this also works if that admin has forked the membership log: the fork ends then. One admin has to remain. To \
      leave a machine in the vault without an admin's rights, use: coffer admin remove

      An admin knows the keys of the apps that it gave to other machines, and could go on with them. These apps lose their \
      rights there too, until an admin gives them again: coffer app install APP --on NAME. Machines that the admin has \
      enrolled stay, and are listed: remove those that you do not know.

      After a recovery from the repository and the vault key alone, --all-others removes the machines that were lost. If \
      somebody may also have the vault key, replace it then: coffer vault-key rotate.
      """)
  @Argument(
    help: ArgumentHelp(
      "The machines' names, or the beginnings of their identifiers, see: coffer device list", valueName: "name"))
  var names: [String] = []
  @Flag(help: "Remove every machine but this one.")
  var allOthers = false
  @OptionGroup var removal: RemovalOptions

  func validate() throws {
    if names.isEmpty && !allOthers { throw ValidationError("Missing expected argument '<name> ...'") }
    if !names.isEmpty && allOthers { throw ValidationError("--all-others takes no names") }
  }

  func run() throws {
    let local = try LocalVault.open(VaultFolder(.standard()))
    let machines = try allOthers ? local.otherMachines() : Set(names.map(local.memberMachine(named:))).sorted()
    try removal.run(local, .machines(machines)) { done in
      done.machines.count == 1
        ? "\(Output.cell(done.machines[0].name)) is removed from the vault."
        : "\(done.machines.count) machines are removed from the vault."
    }
  }
}

/// Removes something from a vault, after its effect was shown and confirmed.
struct RemovalOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Do not ask whether this is meant.")
  var yes = false
  @OptionGroup var vaultKey: VaultKeyOptions
  @Flag(help: "Print JSON: what was removed, and how many items should be replaced.")
  var json = false
  @OptionGroup var passphrase: PassphraseOptions
  @OptionGroup var claims: ClaimOptions

  /// Shows what the removal does, asks whether it is meant, does it, and prints what was done, for which `summary`
  /// returns a sentence. The subject is given by identifiers: another machine could get the name during the sync.
  func run(_ local: LocalVault, _ subject: Removal.Subject, summary: (RemovalPreview) -> String) throws {
    let removal = Removal(of: subject, from: local, allowingLogFork: claims.allowsLogFork)
    let preview = try removal.preview()
    if !yes { try Confirmation.ask(after: preview.lines) }
    let authority = try authority(for: preview, local)
    let done = try removal.publish(in: local, as: authority, accepting: yes ? nil : preview)
    if json { try Output.json(done.json) } else { try Output.line(summary(done)) }
    done.printAdvice()
  }

  /// Returns the keys that sign the removal. The vault key is asked for only if it is needed.
  private func authority(for preview: RemovalPreview, _ local: LocalVault) throws(VaultError) -> Removal.Authority {
    if let known = try vaultKey.readFile() { return .root(known) }
    guard preview.needsVaultKey else { return .admin(passphrase.source(of: local).rememberingFirst()) }
    let reason =
      "Only the vault key removes an admin, so that whoever steals one admin's machine cannot remove the others."
    return .root(try vaultKey.key(of: local, because: reason))
  }
}

extension Removal {
  /// Signs the removal, and syncs until the remote has it. `accepted` is what somebody has confirmed; nil for anything.
  func publish(in local: LocalVault, as authority: Authority, accepting accepted: RemovalPreview?) throws
    -> RemovalPreview
  {
    var done = try preview()
    try SyncProgram.publication.change(local) { (attempt) throws(VaultError) in
      done = try preview()
      // What arrives during the first attempt stays valid. Who is removed must not be able to write for ever.
      return try run(as: authority, accepting: accepted, despiteNewRecords: attempt > 1)
    }
    return done
  }
}

extension RemovalPreview {
  /// Says what to do after the removal.
  func printAdvice() {
    if itemCount > 0 { Terminal.printNote("List what to replace now with: coffer rotate") }
    for app in deliveredApps { Terminal.printNote("To give \(app.words) its rights again, \(app.advice)") }
  }

  /// What the removal does, a line each.
  var lines: [String] {
    effects.map(\.line) + claims.map { "Caution: the remote \($0). If that is true, the log forks." }
  }
}

extension RemovalPreview {
  /// What was removed from a vault, in the output of `--json`.
  var json: JSONObject {
    let formerAdmin = formerAdmin.map { admin in
      (["apps": admin.apps.map(JSONObject.app)] as JSONObject).including(admin.machine.json)
    }
    return [
      "machines": machines.map(\.json), "formerAdmin": formerAdmin, "apps": apps.map(JSONObject.app),
      "deliveredApps": deliveredApps.map {
        ["id": $0.app, "machine": $0.machine.name, "machineID": $0.machine.id] as JSONObject
      },
      "enrolledMachines": enrolledMachines.map(\.json), "groups": groups.map { JSONObject.group($0) },
      "itemCount": itemCount, "recordCount": recordCount,
    ]
  }
}

extension RemovalPreview.Machine {
  fileprivate var json: JSONObject { ["name": name, "machineID": id] }
}
