internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferCrypto
internal import CofferFormat
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferTrust
internal import CofferVault

struct DeviceCreateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Create a headless credential, with which a machine without a vault reads items.",
    discussion: """
      For a machine that runs tests or services: without a prompt, a desktop or a home folder. The credential is one file, \
      a text of about a thousand characters, and whoever has it can read the items of its apps: keep it where you keep \
      the secrets of that machine. There:

          COFFER_CREDENTIAL_FILE=FILE COFFER_REPOSITORY=URL coffer get SERVICE ACCOUNT

      A clone of the repository works, too, also one that cannot be written. Apps that use the library read the same \
      variables.

      It reads the groups of its apps and nothing else, with earlier versions, and the whole membership log: the names of \
      machines, apps and groups. Every reader refuses what it writes, so it has no right that could be given away; the \
      flag --read-only only says so. From its expiry on, it gets no new keys, and is shown as expired until you take it \
      out with `coffer device revoke`: it may still open what it could.

      An app that requires a passphrase cannot be in a headless credential.
      """)
  @Option(help: ArgumentHelp("The name of the credential in lists of machines.", valueName: "name"))
  var name: String
  @Option(
    help: ArgumentHelp(
      "Its apps: full application identifiers, or bundle identifiers, between commas.", valueName: "app,…"))
  var apps: String
  @Flag(help: "Let it only read. This is always so.")
  var readOnly = false
  @Option(
    help: ArgumentHelp(
      "When it expires: after a number of hours (h), days (d), weeks (w) or years (y), or at the beginning of a day.",
      valueName: "90d|2027-03-01"))
  var expires = Expiry.standard
  @Option(
    help: ArgumentHelp(
      "The new file for the credential, or - for standard output. No file is overwritten.", valueName: "file"),
    completion: .file())
  var out: String
  @Flag(
    help: ArgumentHelp(
      "The credential is encrypted for one unit of systemd, and kept nowhere else.",
      discussion: "An access group that requires strong enforcement demands it. Only with --out -."))
  var forUnit = false
  @OptionGroup var passphrase: PassphraseOptions
  @OptionGroup var claims: ClaimOptions
  @Flag(help: "Print what was created as JSON.")
  var json = false

  func validate() throws {
    if forUnit && out != "-" {
      throw ValidationError("--for-unit needs --out -, into: systemd-creds encrypt --name=coffer - FILE")
    }
    if json && out == "-" { throw ValidationError("--json and --out - both use standard output") }
  }

  func run() throws {
    try DeniedReads.check()
    let local = try LocalVault.open(VaultFolder(.standard()))
    let time = try expires.time(after: Date())
    let source = passphrase.source(of: local).rememberingFirst()
    let creation = HeadlessCreation(in: local, passphrase: source, allowingLogFork: claims.allowsLogFork)
    // Before anything is changed: a credential that cannot be written would be lost.
    let file = out == "-" ? nil : try NewSecretFile.create(out, what: "the credential")
    var created: NewHeadlessCredential?
    do {
      try SyncProgram.publication.change(local) { (_) throws(VaultError) in
        // Looked up after the fetch: another machine may have registered the apps a moment ago.
        let new = try creation.run(
          HeadlessCreation.Request(
            name: name, applications: applications(in: local), expires: Timestamp(time),
            isForUnit: forUnit))
        created = new.credential
        return new.position
      } install: { () throws(VaultError) in
        guard let created else { return }
        try write(created, to: file)
      }
    } catch {
      file?.remove()
      throw error
    }
    guard let created else { return }
    try report(created, expiring: time)
  }

  private func applications(in local: LocalVault) throws(VaultError) -> Set<ApplicationID> {
    var found: Set<ApplicationID> = []
    for name in apps.split(separator: ",") {
      found.insert(try local.application(named: name.trimmedSpace))
    }
    return found
  }

  private func write(_ credential: NewHeadlessCredential, to file: NewSecretFile?) throws(VaultError) {
    do throws(VaultError) {
      if let file { try file.write(credential.text) } else { try Terminal.write(credential.text) }
    } catch {
      throw VaultError(
        error.code, "\(error.message): the credential is in the vault, and its keys are lost",
        recoverySuggestion: "remove it with: coffer device revoke \(name.shellWord)")
    }
  }

  private func report(_ created: NewHeadlessCredential, expiring time: Date) throws {
    guard !json else {
      return try Output.json(object: [
        "name": name, "machineID": created.machineID, "expires": time,
        "apps": created.applications.map(JSONObject.app), "groups": created.groups.map { JSONObject.group($0) },
        "file": out,
      ])
    }
    var lines = [
      "The headless credential \(Output.cell(name)) expires on \(Output.date(time)).",
      "It reads: \(created.groups.map(Output.cell).joined(separator: ", "))",
    ]
    if out != "-" { lines.append("It is in \(Output.cell(out)). Whoever has this file can read these groups.") }
    // Standard output may be the credential.
    for line in lines {
      if out == "-" { Terminal.printNote(line) } else { try Output.line(line) }
    }
    Terminal.printNote(
      "It also reads the whole membership log and earlier versions of items. To end it: coffer device revoke \(name.shellWord)"
    )
  }
}

/// When a credential expires.
struct Expiry: ExpressibleByArgument, Hashable {
  private enum Moment: Hashable {
    /// After a number of units of a number of seconds each.
    case after(Int, seconds: Int)
    /// At the beginning of a day in the machine's time zone.
    case day(year: Int, month: Int, day: Int)
  }

  /// After 90 days.
  static let standard = Expiry(.after(90, seconds: 86_400), text: "90d")

  /// After 24 hours.
  static let oneDay = Expiry(.after(24, seconds: 3_600), text: "24h")

  private let moment: Moment
  private let text: String

  private init(_ moment: Moment, text: String) {
    self.moment = moment
    self.text = text
  }

  /// Reads a number with its unit, `90d`, or a day, `2027-03-01`. Returns nil for another text.
  init?(argument: String) {
    if let match = argument.wholeMatch(of: /([1-9][0-9]{0,4})([hdwy])/), let count = Int(match.output.1) {
      let seconds = ["h": 3_600, "d": 86_400, "w": 7 * 86_400, "y": 365 * 86_400]
      guard let unit = seconds[String(match.output.2)] else { return nil }
      self.init(.after(count, seconds: unit), text: argument)
    } else if let match = argument.wholeMatch(of: /([0-9]{4})-([0-9]{2})-([0-9]{2})/), let year = Int(match.output.1),
      let month = Int(match.output.2), let day = Int(match.output.3)
    {
      self.init(.day(year: year, month: month, day: day), text: argument)
    } else {
      return nil
    }
  }

  var defaultValueDescription: String { text }

  /// Returns the time at which the credential expires. Throws `invalidArgument` for a day that does not exist or is not
  /// in the future.
  func time(after now: Date) throws(VaultError) -> Date {
    switch moment {
    case .after(let count, let seconds): return now.addingTimeInterval(Double(count * seconds))
    case .day(let year, let month, let day):
      guard let date = Date(year: year, month: month, day: day), date > now else {
        throw VaultError(
          .invalidArgument, "\(text) is no day in the future", recoverySuggestion: "give another one with --expires")
      }
      return date
    }
  }
}
