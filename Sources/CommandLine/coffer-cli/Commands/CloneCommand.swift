internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferFormat
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferTrust
internal import CofferVault

struct CloneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clone", abstract: "Copy a vault to this machine, with its vault key or with an invitation.",
    discussion: """
      This machine becomes an admin, and every registered app gets a credential here.

      With --member, it becomes a member: it cannot change the membership, and has only the apps that --app names or that an \
      admin gives to it later, with: coffer app install APP --on NAME

      A vault that only this machine has, such as one that an app's first launch or `coffer set` has created, joins the other \
      one: what it brings is shown first, and --yes answers the question. The apps are registered there, the items are added, \
      and the other vault takes its place. If it is interrupted, run it again.

      With --invite, an admin's machine enrols this one, without the vault key: there, `coffer device invite` makes a \
      code, which this command asks for. It shows the words of its request, waits until the owner has compared and approved \
      them there, and finishes. If it is interrupted, run it again: it goes on with the same request. For a machine of your \
      own, `coffer pair` there and `coffer join` here do all of it.

      With --rejoin, a machine that is enrolled already rebuilds its store from the repository, as the same machine and \
      without the vault key: if the store is missing or damaged. The old store is kept under another name, and what only \
      it has is taken over as far as it can be read.
      """)
  @Argument(
    help:
      "The repository's URL or path. With --rejoin, by default the one of the old store; with --invite, that of the request that waits."
  )
  var url: String?
  @Flag(help: "Rebuild the store of this machine, which is enrolled already.")
  var rejoin = false
  @Flag(help: "With --rejoin: give up this machine's branch of a forked membership log.")
  var acceptFork = false
  @Flag(help: "Make this machine a member instead of an admin.")
  var member = false
  @Option(
    name: .customLong("app"),
    help: ArgumentHelp(
      "With --member: give this app a credential here. Can be repeated. A full application identifier, or a bundle identifier.",
      valueName: "app"))
  var apps: [String] = []
  @Option(
    help: ArgumentHelp(
      "Refuse a repository whose membership log has no entry with this head phrase, which `coffer status` prints on a machine of the vault: the host may withhold later entries from a new machine.",
      valueName: "words"))
  var headPhrase: Phrase?
  @Flag(help: "Ask an admin's machine to enrol this one, with the code of: coffer device invite")
  var invite = false
  @OptionGroup var inviteCode: InvitationCodeOptions
  @Option(
    help: ArgumentHelp(
      "With --invite: how long to wait for the approval, in seconds (s), minutes (m) or hours (h).",
      valueName: "time"))
  var wait = WaitingTime.standard
  @Flag(help: "With --invite: print JSON.")
  var json = false
  @OptionGroup var joining: JoiningOptions
  @OptionGroup var remote: RemoteAccessOptions
  @OptionGroup var machine: MachineNameOptions
  @OptionGroup var vaultKey: VaultKeyOptions
  @OptionGroup var protection: ProtectionOptions
  @OptionGroup var claims: ClaimOptions

  func validate() throws {
    if inviteCode.inviteCodeFile != nil && !invite { throw ValidationError("--invite-code-file requires --invite") }
    if json && !invite { throw ValidationError("--json requires --invite") }
    if invite {
      if rejoin || member { throw ValidationError("--invite, --member and --rejoin exclude each other") }
      if headPhrase != nil { throw ValidationError("--invite and --head-phrase exclude each other") }
      if vaultKey.vaultKeyFile != nil { throw ValidationError("--invite and --vault-key-file exclude each other") }
      return
    }
    if url == nil && !rejoin { throw ValidationError("Missing expected argument '<url>'") }
    if rejoin || member {
      if joining.asOwner { throw ValidationError("--as-owner is for a vault that joins another one") }
      if joining.yes { throw ValidationError("--yes is for a clone that makes this machine an admin") }
    }
    if acceptFork && !rejoin { throw ValidationError("--accept-fork requires --rejoin") }
    if member && rejoin {
      throw ValidationError("--member and --rejoin exclude each other: the machine keeps its role")
    }
    if !apps.isEmpty && !member { throw ValidationError("--app requires --member: an admin has every app") }
  }

  func run() throws {
    guard !invite else {
      return try InvitedClone(
        url: url, remote: remote, machine: machine, protection: protection, joining: joining, wait: wait, json: json
      ) { try inviteCode.invitation(at: url, orContinue: $0) }.run()
    }
    let location = try VaultLocation.standard()
    guard !rejoin, let url else { return try rebuild(location) }
    if !member, JoiningClone.isNeeded(at: location) {
      return try JoiningClone(
        url: url, location: location, headPhrase: headPhrase, allowsLogFork: claims.allowsLogFork, options: joining,
        remote: remote, machine: machine, vaultKey: vaultKey, protection: protection
      ).run()
    }
    // Everything that can be checked is checked before the user is asked for anything.
    let staging = try StagingFolder.create(for: location)
    let clone = VaultClone(
      location: location, machine: machine, protection: protection, allowsLogFork: claims.allowsLogFork,
      arguments: remote.timeoutArguments)
    try VaultCreation.checkDeviceName(machine.chosen)
    let key = try vaultKey.readFile()
    if key == nil { try VaultKeyFile.checkCanAsk() }
    let known = try protection.protectionWithoutPrompt()
    try remote.download(url, into: staging.folder)
    let outcome = try clone.run(begin(in: staging.folder, key), in: staging, known)
    let status = outcome.status
    if let note = machine.note(on: status, wanted: machine.chosen) { try Output.line(note) }
    let role = member ? "This machine is a member" : "This machine is an admin"
    try Output.line(
      """
      The vault of team \(status.team) is at \(status.path). \(role), with \(counted(outcome.appCount, "app")) ready.
      Membership log: \(status.logLength) entries, last \(Output.date(status.logTime)).
      Head phrase: \(status.headPhrase) — compare it with `coffer status` on another machine after its next sync.
      If the phrases differ after both machines synced, do not trust this repository.
      """)
  }

  /// Begins the enrolment with the key from the file, or with one that is asked for.
  private func begin(in folder: VaultFolder, _ key: VaultKey?) throws(VaultError) -> Enrolment {
    let role = member ? EnrolledRole.member(apps: apps) : .admin
    func begin(_ key: VaultKey) throws(VaultError) -> Enrolment {
      try Enrolment.begin(in: folder, vaultKey: key, as: role, headPhrase: headPhrase)
    }
    return if let key { try begin(key) } else { try VaultKeyFile.ask(begin) }
  }

  private func rebuild(_ location: VaultLocation) throws {
    try rebuildStore(location)
    try Output.line("The store was rebuilt. Fetching the items …")
    try SiblingProgram.replaceProcess(by: SyncProgram.name, arguments: ["sync"] + remote.timeoutArguments)
  }

  /// Rebuilds the store. The staging folder is removed at the end, before `coffer-sync` replaces this program.
  private func rebuildStore(_ location: VaultLocation) throws {
    let folder = VaultFolder(location)
    try StoreRebuild.checkKeys(in: folder)
    // Another command must not replace this machine's keys meanwhile.
    let lock = try FileLock.acquire(
      path: folder.membershipLockPath, timeout: .seconds(60), purpose: "change of membership")
    defer { extendLifetime(lock) }
    let staging = try StagingFolder.create(for: location, isRebuild: true)
    let rebuild = try StoreRebuild.begin(in: folder, staging: staging.folder)
    guard let source = url ?? rebuild.formerRemote else {
      throw VaultError(
        .invalidArgument, "the old store does not tell the remote",
        recoverySuggestion: "give the repository's URL: coffer clone --rejoin URL")
    }
    let remote = remote.over(url == nil ? rebuild.formerRemoteOptions : RemoteOptions())
    try remote.download(source, into: staging.folder)
    let outcome = try rebuild.finish(acceptsFork: acceptFork, headPhrase: headPhrase)
    if let moved = outcome.movedStore {
      try Output.line("The old store is kept as \(Output.cell(moved)).")
      try Output.line(
        outcome.hasReadOldStore
          ? "Its \(outcome.recordCount) records were taken over."
          : "It cannot be read: changes that were not synced, and items of this machine only, are lost with it.")
    }
    extendLifetime(staging)
  }
}

extension Phrase: ExpressibleByArgument {
  /// Reads a head phrase from the command line. Returns nil for another text.
  public init?(argument: String) {
    guard let phrase = try? Phrase(parsing: argument) else { return nil }
    self = phrase
  }
}

/// The second half of a clone: enrols this machine in a vault that was downloaded, and puts the vault into its place.
struct VaultClone {
  /// The vault that is in its place.
  struct Outcome {
    let status: VaultStatus
    /// The number of apps with a credential.
    let appCount: Int
  }

  let location: VaultLocation
  let machine: MachineNameOptions
  let protection: ProtectionOptions
  let allowsLogFork: Bool
  /// Further arguments of the syncs.
  let arguments: [String]

  /// Enrols this machine. `known` is the protection of its keys, unless somebody has to be asked for it. `complete` is
  /// called before the vault takes its place, when it is ready and everything is pushed.
  func run(
    _ enrolment: Enrolment, in staging: StagingFolder, _ known: AdminProtection?, complete: () throws -> Void = {}
  ) throws -> Outcome {
    let protection = try known ?? protection.protection()
    try enrolment.writeOwnerKeys(protection)
    // Only the log, which is verified now, tells which files are record lists of revocations.
    if try enrolment.lacksRecordLists { try SyncProgram.publication.sync(staging.folder, arguments: arguments) }
    var credentials: [PendingCredential] = []
    try SyncProgram.publication.pushUntilAccepted(staging.folder, arguments: arguments) { (_) throws(VaultError) in
      let joined = try enrolment.join(
        deviceName: machine.chosen, protection: protection, allowingLogFork: allowsLogFork)
      credentials = joined.credentials
      return joined.position
    }
    for credential in credentials { try credential.install(in: enrolment.vault) }
    try complete()
    try staging.moveIntoPlace()
    return Outcome(
      status: try VaultStatus.read(from: LocalVault.open(VaultFolder(location))), appCount: credentials.count)
  }
}

/// The name of a new machine.
struct MachineNameOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The name of this machine in lists. Default: its host name.", valueName: "name"))
  var name: String?

  var chosen: String { name ?? VaultCreation.defaultDeviceName }

  /// Returns a sentence if this machine was enrolled under another name than the wanted one.
  func note(on status: VaultStatus, wanted: String) -> String? {
    guard let name = status.machines.first(where: \.isThisMachine)?.name, name != wanted else { return nil }
    return "The name \(Output.cell(wanted)) is in use; this machine is \(Output.cell(name))."
  }
}
