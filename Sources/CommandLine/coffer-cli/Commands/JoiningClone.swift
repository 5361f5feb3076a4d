internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferFormat
internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferTrust
internal import CofferVault

/// `coffer clone` on a machine that has a vault of its own already, such as one that an app's first launch has created:
/// the vault joins the other one, and brings its apps and items along.
///
/// The other vault is prepared in a folder beside the one that is in use, and takes its place in the end. If it is
/// interrupted before this machine is enrolled, the next run begins anew; otherwise it goes on.
struct JoiningClone {
  /// The repository; nil to go on with what an earlier run, or an invitation, has prepared.
  let url: String?
  let location: VaultLocation
  var headPhrase: Phrase?
  var allowsLogFork = false
  let options: JoiningOptions
  let remote: RemoteAccessOptions
  let machine: MachineNameOptions
  /// Nil for a machine that was invited.
  var vaultKey: VaultKeyOptions?
  let protection: ProtectionOptions
  var json = false

  /// Whether there is a vault at the location.
  static func isNeeded(at location: VaultLocation) -> Bool {
    let folder = VaultFolder(location)
    return folder.exists && folder.deviceFile.exists
  }

  /// A vault that is prepared, with what opens this machine's keys in it.
  private struct Prepared {
    let local: LocalVault
    let passphrase: PassphraseSource
    /// The credentials of apps that are enrolled already.
    var credentials: [PendingCredential] = []
  }

  /// Joins. `known` is the source of the passphrase that this machine has in both vaults; nil to ask for it.
  func run(_ known: PassphraseSource? = nil) throws {
    let folder = VaultFolder(location)
    StagingFolder.removeLeftovers(for: location)
    // Before anything is created, unless an earlier run has replaced the vault.
    if !StagingFolder.joiningFolder(of: location).exists { try VaultJoin.check(LocalVault.open(folder)) }
    let staging = try StagingFolder.joining(for: location)
    if try VaultJoin.isFormerVault(staging.folder, replacedBy: folder) {
      try checkURL(of: LocalVault.open(folder))
      let passphrase = protection.passphrase.source(of: try LocalVault.open(folder)).rememberingFirst()
      try VaultJoin.finish(staging, into: location, passphrase: passphrase, asOwner: options.asOwner)
      return try complete(staging)
    }
    let local = try LocalVault.open(folder)
    try VaultJoin.check(local)
    let passphrase = known ?? protection.passphrase.source(of: local).rememberingFirst()
    let join = try VaultJoin.begin(in: folder, passphrase: passphrase, asOwner: options.asOwner)
    try staging.checkExchange()
    let prepared = try resume(in: staging, known) ?? enrol(join, in: staging, passphrase)
    // A first launch must not register an app in a vault that is about to go.
    let lock = try FileLock.acquire(
      path: folder.membershipLockPath, timeout: .seconds(60), purpose: "change of membership")
    defer { extendLifetime(lock) }
    // Another command may have changed it while this one asked.
    try VaultJoin.check(local)
    try register(join, in: prepared)
    FaultPoint.reached(.appsJoined)
    let other = try Vault.open(asOwnerOf: prepared.local, passphrase: prepared.passphrase)
    try join.replace(by: staging, opened: other, passphrase: prepared.passphrase)
    try complete(staging)
  }

  // MARK: Preparing

  /// Goes on with what an earlier run has prepared, if this machine is enrolled in it: nobody has to give the vault key
  /// again. Nil if it is not; the folder is empty then.
  private func resume(in staging: StagingFolder, _ known: PassphraseSource?) throws -> Prepared? {
    if staging.folder.exists, staging.folder.adminFile.exists {
      try VaultJoin.withdrawItems(from: staging)
      let local = try LocalVault.open(staging.folder)
      try checkURL(of: local)
      // Whether the remote has accepted this machine decides.
      try SyncProgram.publication.sync(staging.folder, arguments: remote.timeoutArguments)
      if try local.machine(in: local.publishedMembership())?.admin != nil {
        try VaultJoin.check(headPhrase, in: local)
        if known == nil { Terminal.printNote("This machine is enrolled already. Going on …") }
        return Prepared(
          local: local, passphrase: known ?? protection.passphrase.source(of: local).rememberingFirst())
      }
    }
    try staging.empty()
    staging.discard()
    return nil
  }

  private func checkURL(of local: LocalVault) throws {
    let begun = try local.remote()
    guard let url, begun != URLPassword(url)?.url ?? url else { return }
    throw VaultError(
      .invalidArgument, "this machine's vault has begun to join the one at \(begun ?? "another URL")",
      recoverySuggestion: "finish that with: coffer clone \(begun?.shellWord ?? "URL")")
  }

  /// Downloads the other vault, shows what this one brings, and enrols this machine.
  private func enrol(_ join: VaultJoin, in staging: StagingFolder, _ passphrase: PassphraseSource) throws -> Prepared {
    guard let url, let vaultKey else {
      throw VaultError(
        .invalidArgument, "an earlier run has left a vault in which this machine is not enrolled",
        recoverySuggestion: "it is removed now: run the same command again")
    }
    // Everything that can be checked is checked before the user is asked for anything.
    let name = machine.chosen
    try VaultCreation.checkDeviceName(name)
    let key = try vaultKey.readFile()
    if key == nil { try VaultKeyFile.checkCanAsk() }
    let known = try keptProtection(of: join, passphrase) ?? protection.protectionWithoutPrompt()
    try remote.download(url, into: staging.folder)
    func begin(_ key: VaultKey) throws(VaultError) -> Enrolment {
      try Enrolment.begin(in: staging.folder, vaultKey: key, headPhrase: headPhrase)
    }
    let enrolment = if let key { try begin(key) } else { try VaultKeyFile.ask(begin) }
    // Its items, to compare them.
    try SyncProgram.publication.sync(staging.folder, arguments: remote.timeoutArguments)
    try confirm(join.preview(in: enrolment.openAsRoot()))
    let chosen = try known ?? protection.protection()
    try enrolment.writeOwnerKeys(chosen)
    staging.keep()
    var credentials: [PendingCredential] = []
    try SyncProgram.publication.pushUntilAccepted(staging.folder, arguments: remote.timeoutArguments) {
      (_) throws(VaultError) in
      let joined = try enrolment.join(deviceName: name, protection: chosen, allowingLogFork: allowsLogFork)
      credentials = joined.credentials
      return joined.position
    }
    return Prepared(local: enrolment.vault, passphrase: chosen.source, credentials: credentials)
  }

  /// Returns the protection with the passphrase that this machine has, which stays the same; nil without one.
  func keptProtection(of join: VaultJoin, _ passphrase: PassphraseSource) throws(VaultError) -> AdminProtection? {
    guard try join.local.hasPassphrase else { return nil }
    guard !protection.noPassphrase else {
      throw VaultError(
        .invalidArgument, "this machine has a passphrase, which stays the same",
        recoverySuggestion: "leave out --no-passphrase")
    }
    return .passphrase(try passphrase.passphrase())
  }

  private func register(_ join: VaultJoin, in prepared: Prepared) throws {
    for credential in prepared.credentials { try credential.install(in: prepared.local) }
    try SyncProgram.publication.register(in: prepared.local) { (_) throws(VaultError) in
      try join.registerApps(in: prepared.local, passphrase: prepared.passphrase)
    }
  }

  // MARK: Talking

  /// The maximum number of different items that are listed.
  private static let listedItems = 20

  /// Shows what the vault brings, and asks whether it is meant to join.
  func confirm(_ preview: JoinPreview) throws {
    guard !options.yes else { return try show(preview) }
    try Confirmation.ask(after: lines(of: preview))
  }

  /// Shows what the vault brings.
  func show(_ preview: JoinPreview) throws {
    for line in lines(of: preview) { try say(line) }
  }

  private func say(_ line: String) throws {
    if json { Terminal.printNote(line) } else { try Output.line(line) }
  }

  private func lines(of preview: JoinPreview) -> [String] {
    let other = preview.team.map { "vault of team \($0)" } ?? "other vault"
    let count = counted(preview.itemCount, "item")
    var lines = ["The vault at \(preview.path) joins the \(other), and brings \(count):"]
    for group in preview.groups {
      let comparison =
        preview.team == nil
        ? counted(group.missing, "item")
        : "\(group.missing) new there, \(group.same) the same, \(group.different.count) different"
      lines.append("    \(group.name) (\(group.apps.joined(separator: ", "))): \(comparison)")
    }
    if preview.team == nil {
      lines.append("If both vaults have an item, both versions are kept, and the newer one becomes the current one.")
    }
    let different = preview.groups.flatMap { group in group.different.map { (group.name, $0) } }
    for (group, item) in different.prefix(Self.listedItems) {
      let names = ItemTitle(item.attributes, of: item.itemClass)
      let current =
        item.isNewer
        ? "this machine's version, of \(Output.date(item.written.date)), is newer" : "the version there is newer"
      lines.append("    different: \(Output.name(names.text)) in \(group): \(current), and becomes the current one")
    }
    if different.count > Self.listedItems { lines.append("    … and \(different.count - Self.listedItems) more") }
    if !different.isEmpty { lines.append("The other version of each is kept: coffer conflicts") }
    if !preview.takenAsOwner.isEmpty {
      lines.append("The owner becomes the writer of these, because their apps cannot sign them in the other vault:")
      // All of them: a forged one must not hide behind a limit.
      lines += preview.takenAsOwner.map { "    \($0)" }
    }
    lines.append(
      "Earlier versions and deleted items do not come along, and the vault key of this vault opens nothing then.")
    return lines
  }

  /// Pushes the items, removes the former vault, and reports.
  private func complete(_ staging: StagingFolder) throws {
    let folder = VaultFolder(location)
    do {
      try SyncProgram.publication.sync(folder, arguments: remote.timeoutArguments)
    } catch is SyncFailure {
      // `coffer-sync` has said why.
      Terminal.printNote("the items are not on the remote yet; push them with: coffer sync")
    }
    try staging.remove()
    VaultJoin.removeKeptStore(of: folder)
    let status = try VaultStatus.read(from: LocalVault.open(folder))
    guard !json else {
      let own = status.machines.first(where: \.isThisMachine)
      return try Output.json(object: [
        "name": own?.name, "machineID": own?.id, "isAdmin": own?.isAdmin,
        "apps": status.applications.filter(\.hasCredentialHere).map { JSONObject.app($0.id) },
        "words": nil, "headPhrase": status.headPhrase,
      ])
    }
    if let note = machine.note(on: status, wanted: machine.chosen) { try Output.line(note) }
    try Output.line(
      """
      The vault of team \(status.team) is at \(status.path), with what was there before. This machine is an admin.
      Membership log: \(status.logLength) entries, last \(Output.date(status.logTime)).
      Head phrase: \(status.headPhrase) — compare it with `coffer status` on another machine after its next sync.
      If the phrases differ after both machines synced, do not trust this repository.
      Programs that had the former vault open must be started again.
      """)
  }
}

extension JoiningClone {
  /// The steps of a machine that was invited, after it is enrolled.
  init(invited clone: InvitedClone, location: VaultLocation) {
    self.init(
      url: nil, location: location, options: clone.joining, remote: clone.remote, machine: clone.machine,
      protection: clone.protection, json: clone.json)
  }

  /// Throws `notEntitled` if this machine is a member of the other vault: only an admin's machine adds apps there.
  func checkIsAdmin(_ other: LocalVault) throws(VaultError) {
    guard let own = other.machine(in: try other.publishedMembership()), own.admin == nil else { return }
    throw VaultError(
      .notEntitled, "this machine is enrolled as a member, and what its own vault has can only be brought by an admin",
      recoverySuggestion:
        "on the machine that invited it, run: coffer admin add \(own.name.shellWord); then run the same command here again; until then, its own vault stays in use"
    )
  }
}

/// What becomes of a vault that this machine has already.
struct JoiningOptions: ParsableArguments {
  @Flag(
    name: .shortAndLong, help: "Do not ask whether this machine's own vault is to join the other one as it is shown.")
  var yes = false
  @Flag(
    help:
      "If this machine's own vault joins the other one: also bring what apps have written that cannot sign it there, such as removed ones. The owner becomes the writer."
  )
  var asOwner = false
}
