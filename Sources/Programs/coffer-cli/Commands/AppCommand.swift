internal import ArgumentParser
internal import Coffer
internal import CofferTrust
internal import Foundation

struct AppCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "app", abstract: "Register apps by their entitlements.",
    subcommands: [AppAddCommand.self, AppInstallCommand.self, AppListCommand.self, AppShowCommand.self])
}

struct AppAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Register an app, or its changed plist, and give it a credential on this machine.",
    discussion: "The app may then use the access groups that its plist lists, here and on machines cloned later.")
  @Argument(help: ArgumentHelp("The app's entitlements plist.", valueName: "file.entitlements"), completion: .file())
  var file: String
  @Option(help: ArgumentHelp("What $(CFBundleIdentifier) stands for.", valueName: "id"))
  var bundleID: String?
  @Option(
    help: ArgumentHelp(
      "A team prefix written literally in the plist (ABCDE12345) that stands for this vault's.", valueName: "prefix"))
  var sourcePrefix: String?
  @Flag(
    inversion: .prefixedNo,
    help: ArgumentHelp(
      "Put the app's credential under each machine's passphrase.",
      discussion: "The app then finds its vault locked until somebody gives the passphrase. Not given: as it was."))
  var locked: Bool?
  @OptionGroup var passphrase: PassphraseOptions

  func run() throws {
    let plist = try readEntitlements(at: URL(fileURLWithPath: file), missing: .invalidArgument)
    let local = try LocalVault(VaultFolder(.standard()))
    // The passphrase is asked for once, also where a lost race makes the change run again.
    let registration = AppRegistration(local, passphrase: passphrase.source.rememberingFirst())
    var outcome: AppRegistration.Outcome?
    try SyncProgram.withMembershipChange(local) { () throws(VaultError) in
      let registered = try registration.register(
        plist: plist, source: file, bundleID: bundleID, sourcePrefix: sourcePrefix, isLocked: locked)
      outcome = registered
      return registered.position
    }
    guard let outcome else { return }
    try outcome.credential?.install(in: local)
    try Output.line("\(outcome.application) \(outcome.isChanged ? "is registered" : "was registered already").")
    for group in outcome.entitlements.groups {
      let notes = [
        group.access == .readOnly ? "read only" : "", group.name == outcome.entitlements.defaultGroup ? "default" : "",
      ].filter { !$0.isEmpty }
      try Output.line("    \(group.name)\(notes.isEmpty ? "" : "  (\(notes.joined(separator: ", ")))")")
    }
  }
}

struct AppInstallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "install", abstract: "Give a registered app a credential on this machine.",
    discussion: "For an app that was registered elsewhere after this machine was cloned, or whose credential is lost.")
  @Argument(help: "A full application identifier, or a bundle identifier.")
  var app: String
  @OptionGroup var passphrase: PassphraseOptions

  func run() throws {
    let local = try LocalVault(VaultFolder(.standard()))
    let registration = AppRegistration(local, passphrase: passphrase.source.rememberingFirst())
    var application: ApplicationID?
    var credential: PendingCredential?
    try SyncProgram.withMembershipChange(local) { () throws(VaultError) in
      // Looked up after the fetch: the app may have been registered elsewhere a moment ago.
      let found = try local.application(named: app)
      application = found
      let installed = try registration.install(found)
      credential = installed.credential
      return installed.position
    }
    try credential?.install(in: local)
    try Output.line("\(application?.description ?? app) has a credential on this machine.")
  }
}

/// An app as `--json` prints it.
private struct AppRow: Encodable {
  struct Group: Encodable {
    let name: String
    let access: String
  }
  let id: String
  let bundleID: String
  let registered: Date
  let hasCredentialHere: Bool
  let isLocked: Bool
  let groups: [Group]

  init(_ app: VaultStatus.Application) {
    id = app.id
    bundleID = app.bundleID
    registered = app.registered
    hasCredentialHere = app.hasCredentialHere
    isLocked = app.isLocked
    groups = app.groups.map { Group(name: $0.name, access: $0.isWritable ? "read-write" : "read-only") }
  }
}

struct AppListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "List the registered apps.")
  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let apps = try VaultStatus(LocalVault(VaultFolder(.standard()))).applications
    guard !json else { return try Output.json(apps.map(AppRow.init)) }
    if apps.isEmpty { return Terminal.note("no apps; register one with: coffer app add FILE.entitlements") }
    try Output.table(
      [["APP", "GROUPS", "REGISTERED", "ON THIS MACHINE"]]
        + apps.map {
          [
            $0.id, String($0.groups.count), Output.date($0.registered),
            $0.hasCredentialHere
              ? ($0.isLocked ? "ready, locked by the passphrase" : "ready")
              : "no credential here: coffer app install \($0.bundleID)",
          ]
        })
  }
}

struct AppShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show an app's access groups and its registered plist.")
  @Argument(help: "A full application identifier, or a bundle identifier.")
  var app: String
  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let local = try LocalVault(VaultFolder(.standard()))
    guard let app = try VaultStatus(local).application(local.application(named: app)) else { return }
    guard !json else { return try Output.json(AppRow(app)) }
    try Output.line("\(app.id), registered \(Output.date(app.registered))")
    try Output.line(
      app.hasCredentialHere
        ? "It has a credential on this machine\(app.isLocked ? ", under the machine's passphrase" : "")."
        : "It has no credential here; mint one with: coffer app install \(app.bundleID)")
    try Output.line("Access groups, the first being its default:")
    try Output.table(app.groups.map { ["    \($0.name)", $0.isWritable ? "read and write" : "read only"] })
    try Output.line("Registered entitlements:")
    for line in String(decoding: app.entitlements, as: UTF8.self).split(separator: "\n") {
      try Output.line("    \(Output.cell(String(line).replacing("\t", with: "  ")))")
    }
  }
}
