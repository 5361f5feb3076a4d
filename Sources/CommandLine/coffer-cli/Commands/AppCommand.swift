internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferTerminal
internal import CofferTrust
internal import CofferVault

struct AppCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "app", abstract: "Register apps by their entitlements.",
    subcommands: [
      AppAddCommand.self, AppInstallCommand.self, AppListCommand.self, AppReinstallCommand.self, AppRemoveCommand.self,
      AppShowCommand.self, AppSignCommand.self, AppUninstallCommand.self,
    ])
}

struct AppListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the registered apps.", aliases: ["ls"])
  @OptionGroup var output: ReportOptions

  func run() throws {
    let apps = try VaultStatus.read(from: LocalVault.openForReading(warn: Terminal.printError)).applications
    try output.show(
      apps, ["APP", "GROUPS", "REGISTERED", "ENFORCED", "ON THIS MACHINE"],
      ifEmpty: "no apps; register one with: coffer app add FILE.entitlements", fields: \.json
    ) { app in
      [
        app.id, String(app.groups.count), Output.date(app.registered), Self.enforcement(of: app), Self.state(of: app),
      ]
    }
  }

  private static func state(of app: VaultStatus.Application) -> String {
    if let problem = problem(of: app) { return problem }
    if app.needsInstallation { return "must be installed: sudo coffer app install \(app.bundleID) --setgid PROGRAM" }
    if app.needsNewCredential { return "lacks rights that it lost before: coffer app install \(app.bundleID)" }
    if app.hasCredentialHere { return app.isSealedHere ? "ready, locked by the passphrase" : "ready" }
    return app.isOffered
      ? "no credential here: coffer app install \(app.bundleID)" : "not given to this machine by an admin"
  }

  /// What keeps the program that root has installed from being the app, as an instruction; nil if nothing does.
  private static func problem(of app: VaultStatus.Application) -> String? {
    BundleID(app.bundleID).flatMap { InstalledApp($0).problem }.map { problem in
      "not usable: \(problem.recoverySuggestion ?? problem.message)"
    }
  }

  private static func enforcement(of app: VaultStatus.Application) -> String {
    guard let program = app.desktop, program.strength != .none else { return app.enforcement.words }
    return "\(app.enforcement.words); on the bus: \(program.strength.rawValue)"
  }
}

struct AppShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show an app's access groups and its registered plist.")
  @Argument(help: "A full application identifier, or a bundle identifier.")
  var app: String
  @OptionGroup var output: ReportOptions

  func run() throws {
    let local = try LocalVault.openForReading(warn: Terminal.printError)
    guard let app = try VaultStatus.read(from: local).application(local.application(named: app)) else { return }
    guard !output.json else { return try Output.json(app.json) }
    try Output.line("\(app.id), registered \(Output.date(app.registered))")
    try Output.line(
      app.hasCredentialHere
        ? "It has a credential on this machine\(app.isSealedHere ? ", protected by the machine's passphrase" : "")."
        : "It has no credential on this machine; give it one with: coffer app install \(app.bundleID)")
    if app.hasCredentialHere {
      let evidence = try AccessFacts.read(from: local, withActivity: false).evidence(named: app.id)
      if let evidence {
        try Output.line("Enforced between programs of this user: \(evidence.enforcement.words). \(evidence.sentence)")
        if let advice = evidence.advice { try Output.line(advice) }
      }
    }
    if let program = app.desktop, !app.hasCredentialHere { try Output.line(program.sentence) }
    try Output.line("Access groups (the first is the default):")
    try Output.table(app.groups.map { ["    \($0.name)", $0.isWritable ? "read and write" : "read only"] })
    try Output.line("Registered entitlements:")
    let registered = try local.publishedMembership().apps.values.first { $0.id.description == app.id }
    for problem in registered.map(PlistSpelling.problems(of:)) ?? [] { Terminal.printNote(problem.description) }
    for line in String(decoding: app.entitlements, as: UTF8.self).split(separator: "\n") {
      try Output.line("    \(Output.cell(String(line).replacing("\t", with: "  ")))")
    }
  }
}

struct AppRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove an app from the vault.",
    discussion: """
      Nothing that the app writes from now on counts, and it gets no new keys. Its items stay. What it could read before, it \
      may have kept.

      What it wrote before stays valid. If it goes on writing while this command runs, what arrives late is refused, even \
      if it was written before: see `coffer refused`, which can also adopt it.
      """,
    aliases: ["rm"])
  @Argument(help: "A full application identifier, or a bundle identifier.")
  var app: String
  @Option(
    help: ArgumentHelp(
      "Only on this machine: the app stays registered, and keeps its rights on others.", valueName: "name"))
  var device: String?
  @OptionGroup var removal: RemovalOptions

  func run() throws {
    let local = try LocalVault.open(VaultFolder(.standard()))
    let subject = Removal.Subject.app(
      try local.application(named: app), on: try device.map(local.memberMachine(named:)))
    let place = device.map { "on \(Output.cell($0))" } ?? "of the vault"
    try removal.run(local, subject) { _ in "\(Output.cell(app)) is removed \(place)." }
  }
}

struct AppReinstallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reinstall", abstract: "As root: accept a new version of an installed app's program.",
    discussion: """
      After an upgrade, the program is another file, and does not open the vault until root has accepted it. A package does \
      this in its script postinst. The credentials of all users stay.
      """)
  @Argument(help: "A full application identifier, or a bundle identifier.")
  var app: String

  func run() throws {
    let program = try AppInstallation(of: InstallationOptions.bundleID(of: app)).reinstallProgram()
    try Output.line("\(program.file.path) runs with the group \(program.group).")
  }
}

struct AppUninstallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "uninstall", abstract: "As root: take back what `coffer app install` has installed.",
    discussion: """
      Deletes the user's credential of the app. When no user has one any more, the program loses its group, and the group is \
      deleted. The app stays registered, with its items: see coffer app remove.
      """)
  @Argument(help: "A full application identifier, or a bundle identifier.")
  var app: String
  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("The user whose credential is deleted. Default: who has run sudo.", valueName: "user"))
  var owner: String?
  @Flag(help: "Delete the credentials of all users, and the group.")
  var all = false

  func run() throws {
    let installation = try AppInstallation(of: InstallationOptions.bundleID(of: app))
    let id = installation.app.bundleID
    guard installation.app.isInstalled else { throw installation.notInstalled }
    guard !all else {
      try installation.removeAll()
      return try Output.line("\(id) is not installed any more.")
    }
    let user = try InstallationOptions.user(named: owner)
    let remains = try installation.remove(user)
    try Output.line(
      remains ? "\(user.name) has no installed credential of \(id)." : "\(id) is not installed any more.")
  }
}
