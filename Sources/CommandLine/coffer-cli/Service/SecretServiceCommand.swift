internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferFormat
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferTransfer
internal import CofferVault

struct SecretServiceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "secret-service",
    abstract: "Keep the passwords of desktop programs in the vault, as their Secret Service.",
    discussion: """
      Programs such as browsers, mail programs and git keep passwords in the Secret Service of the desktop \
      (org.freedesktop.secrets). With this, `coffer-secret-service` answers them, in place of gnome-keyring, KWallet or KeePassXC. \
      A Flatpak, a snap and a setgid program can have a collection of their own: see coffer app add --desktop. An app in a \
      Flatpak that links Coffer reaches the vault by its entitlements, through a broker that is installed with it.
      """,
    subcommands: [
      SecretServiceInstallCommand.self, SecretServiceStatusCommand.self, SecretServiceRemoveCommand.self,
    ])
}

struct SecretServiceInstallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "install", abstract: "Let the desktop's programs of this user keep their passwords in the vault.",
    discussion: """
      The session bus then starts `coffer-secret-service` when a program needs it. If another Secret Service runs, nothing is \
      changed, and the command says how to import from it and how to end it.

      What an earlier version has imported to your own group moves to that of the desktop's programs. At the end, the \
      command looks for one item of the vault through the new service, as programs do.

      coffer import secret-service
      coffer secret-service install
      coffer secret-service status
      """)
  @Flag(
    help: ArgumentHelp(
      "Ask a person when a program uses the Secret Service for the first time, and again after an hour.",
      discussion: "Between programs of one user this proves nothing; a sandboxed program is asked for in any case."))
  var ask = false
  @Flag(
    help: ArgumentHelp(
      "Only the broker for apps in Flatpaks that link Coffer.",
      discussion: "Another program can be the Secret Service then."))
  var apps = false
  @Flag(help: "Print the files, and install nothing.")
  var print = false
  @OptionGroup var output: ReportOptions
  @OptionGroup var passphrase: PassphraseOptions

  func validate() throws {
    if apps, ask { throw ValidationError("--ask is for the Secret Service, which --apps leaves as it is") }
    if print, output.json { throw ValidationError("--print prints the files, which are no JSON") }
  }

  func run() throws {
    let installation = try SecretServiceInstallation.find(asks: ask, isBrokerOnly: apps)
    guard !print else { return try UnitOptions.show(installation.shown) }
    if apps {
      let files = try installation.install()
      return try output.json ? Output.json(object: ["files": files]) : UnitOptions.showWritten(files)
    }
    let report = try SecretServiceProgram.report()
    if let process = report.process(owning: SecretServiceReport.secretsName) {
      let owner = SecretServiceOwner(process: process)
      guard owner.isCoffer else { throw Self.ownedError(owner) }
    }
    let files = try installation.install()
    if !output.json { try UnitOptions.showWritten(files) }
    if !report.hasBus { Terminal.printNote("no session bus answers here; the next one starts the program") }
    let earlier = try moveEarlierImport()
    let trial = report.hasBus && !ask ? try SecretServiceTrial.run() : nil
    if output.json {
      return try Output.json(object: [
        "files": files, "movedCount": earlier.movedCount, "remaining": earlier.remaining,
        "lookUp": trial?.result.rawValue,
      ])
    }
    if earlier.movedCount > 0 {
      try Output.line(
        "Moved \(counted(earlier.movedCount, "item")) that \(earlier.movedCount == 1 ? "was" : "were") imported before to \(OwnApp.desktop.bundleIdentifier)"
      )
    }
    for name in earlier.remaining {
      Terminal.printNote(
        "\(name.sanitizedForTerminal()) stays in \(OwnApp.personal.bundleIdentifier): the desktop's programs have another item with these names"
      )
    }
    try trial?.show()
    Terminal.printNote("to see who answers: coffer secret-service status")
  }

  /// Moves what an earlier version has imported. If that needs a passphrase that nobody can give now, it is said how to
  /// do it later.
  private func moveEarlierImport() throws -> EarlierImport.Outcome {
    let folder = try VaultFolder(.standard())
    guard folder.exists else { return EarlierImport.Outcome() }
    var actor = ActorOptions.acting(as: "")
    actor.passphrase = passphrase
    guard actor.isOwner else { return EarlierImport.Outcome() }
    do throws(VaultError) {
      do {
        return try EarlierImport(actor: actor).move(in: LocalVault.open(folder))
      } catch {
        throw VaultError(translating: error)
      }
    } catch {
      guard error.code == .locked else { throw error }
      Terminal.printNote(
        "what was imported before to \(OwnApp.personal.bundleIdentifier) is not moved while that is locked; run this again after: coffer unlock"
      )
      return EarlierImport.Outcome()
    }
  }

  /// The error of a name that another program has: two that fight for it would lose passwords between them.
  private static func ownedError(_ owner: SecretServiceOwner) -> VaultError {
    VaultError(
      .busy, "the Secret Service of this desktop is \(owner.words); nothing was changed",
      recoverySuggestion: "import what it keeps and end it first:\n"
        + owner.replacingCommands.map { "    \($0)" }.joined(separator: "\n"))
  }
}

struct SecretServiceStatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show which program answers as the Secret Service, and how to change that.",
    discussion: "It starts no program: a Secret Service that nobody has needed yet has no owner.")
  @OptionGroup var output: ReportOptions

  func run() throws {
    let installation = try SecretServiceInstallation.find(needsProgram: false)
    let isProgramMissing = !installation.hasProgram && !installation.installed.isEmpty
    let report =
      try isProgramMissing ? SecretServiceReport(hasBus: false, owners: []) : SecretServiceProgram.report()
    let idle =
      isProgramMissing
      ? "unknown, because the program \(SecretServiceProgram.name) is missing"
      : report.hasBus ? "not running" : "no session bus answers (run this in the desktop's session)"
    let owner = report.process(owning: SecretServiceReport.secretsName).map { SecretServiceOwner(process: $0) }
    let portal = report.process(owning: SecretServiceReport.portalName)
    let files = installation.installed
    let isInstalled = installation.isService
    let activation = SecretServiceInstallation.activation?.path
    let activatesCoffer = SecretServiceInstallation.activatesCoffer
    let replacing = owner?.replacingCommands ?? (isInstalled ? [] : ["coffer secret-service install"])
    guard !output.json else {
      return try Output.json(object: [
        "isInstalled": isInstalled, "files": files, "hasBus": report.hasBus,
        "owner": owner.map { ["process": $0.process, "program": $0.name, "isCoffer": $0.isCoffer] as JSONObject },
        "portalProcess": portal, "activationFile": activation, "activatesCoffer": activatesCoffer,
        "switching": replacing, "switchingBack": isInstalled ? Self.returning.map(\.command) : [],
      ])
    }
    var rows = [
      ["Secret Service", owner?.words ?? idle],
      [
        "Started by the bus",
        activatesCoffer.map { $0 ? "Coffer" : "another program" }.map { "\($0), \(Output.cell(activation ?? ""))" }
          ?? "no program",
      ],
      ["Portal for Flatpaks", portal.map { "Coffer, process \($0)" } ?? (isProgramMissing ? idle : "not running")],
    ]
    rows += files.map { ["File", Output.cell($0)] }
    try Output.table(rows)
    if !replacing.isEmpty {
      try Output.line("To let Coffer answer:")
      for command in replacing { try Output.line("    \(command)") }
    }
    guard isInstalled else { return }
    try Output.line("To switch back:")
    for (program, command) in Self.returning {
      try Output.line("    \(command)\(program.map { "    (for \($0))" } ?? "")")
    }
  }

  private static var returning: [(program: String?, command: String)] {
    [(nil, "coffer secret-service remove")]
      + SecretServiceOwner.returningCommands.map { (Optional($0.program), $0.command) }
  }
}

struct SecretServiceRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "End the Secret Service of Coffer, and delete its files.",
    discussion: """
      The passwords stay in the vault, and `coffer list` shows them. `coffer secret-service status` says, before, how \
      gnome-keyring, KWallet or KeePassXC gets its place back.
      """)
  @OptionGroup var output: ReportOptions

  func run() throws {
    let installation = try SecretServiceInstallation.find(needsProgram: false)
    let deleted = try installation.remove()
    if !deleted.isEmpty, !installation.hasProgram {
      Terminal.printNote(
        "Its program is gone, but a process of it may still run without systemd: log out, or end it with: pkill -u $(id -u) -f coffer-secret-service"
      )
    }
    try UnitOptions.showDeleted(deleted, asJSON: output.json, ifNone: "The Secret Service was not installed.")
  }
}

/// What earlier versions of `coffer import secret-service` have written to the owner's own group, where no program of
/// the desktop finds it.
struct EarlierImport {
  let actor: ActorOptions

  /// What has become of the items.
  struct Outcome {
    var movedCount = 0
    /// The names of items that stay, because the group of the desktop's programs has others with these names.
    var remaining: [String] = []
  }

  private static let source = ImportSource.secretService.rawValue

  /// Moves the items to the group of the desktop's programs. Each is written there and read back before it is deleted
  /// here, so that a second run finishes one that was interrupted.
  func move(in local: LocalVault) throws -> Outcome {
    let passphrase = actor.passphrase.source(
      of: local, note: "to move what was imported before", alternative: "try again in a terminal"
    ).rememberingFirst()
    var outcome = Outcome()
    guard let personal = try actor.open(.personal, for: .reading(nil), to: .use, passphrase: passphrase),
      let own = try personal.defaultAccessGroup
    else { return outcome }
    let found = try personal.find(ItemSearch(.genericPassword, group: own), withValues: false, damaged: { _ in })
    let imported = found.compactMap { item in origin(of: item).map { (item: item, origin: $0) } }
    let passwords = imported.filter { $0.origin.part.isEmpty && SecretServiceRecord(of: $0.item.attributes) != nil }
    guard !passwords.isEmpty, let desktop = try actor.openDesktopGroupForWriting(passphrase: passphrase) else {
      return outcome
    }
    let group = try desktop.defaultAccessGroup
    let importer = ItemImporter(desktop, rule: .skip, isDryRun: false)
    var moved: Set<String> = []
    for (item, origin) in passwords {
      let old = ImportedItem(moving: item, value: [], to: own)
      // The value is compared and written, and shown to nobody.
      guard let value = try personal.find(old.search, withValues: true, comparing: true).first?.value else { continue }
      let new = ImportedItem(moving: item, value: value, to: group)
      switch try importer.write([new]).first?.outcome {
      case .new?, .same?, .changed?:
        _ = try personal.delete(old.search)
        moved.insert(origin.entry)
        outcome.movedCount += 1
      case .skipped?, nil: outcome.remaining.append(new.name)
      }
    }
    // The attributes of an entry, which its password has too.
    for (item, origin) in imported where origin.part == "details" && moved.contains(origin.entry) {
      _ = try personal.delete(ImportedItem(moving: item, value: [], to: own).search)
    }
    return outcome
  }

  private func origin(of item: FoundItem) -> EntryOrigin? {
    let origin = item.attributes.string(.comment).flatMap(EntryOrigin.init(comment:))
    return origin?.source == Self.source ? origin : nil
  }
}

extension SecretServiceRecord {
  /// Reads what an item has for the Secret Service; nil if it has nothing.
  init?(of attributes: ItemAttributes) {
    guard case .data(let bytes)? = attributes[.generic] else { return nil }
    self.init(bytes: bytes)
  }
}
