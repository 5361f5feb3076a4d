internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferCrypto
internal import CofferPlatform
internal import CofferSystem
internal import CofferTrust
internal import CofferVault

/// How an app is kept apart from other programs of its user.
struct InstallationOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "As root: make this program, and no other of the user, able to read the app's keys.", valueName: "program"),
    completion: .file())
  var setgid: String?
  @Option(
    help: ArgumentHelp(
      "As root: give the app a credential in the vault of this account, which no person and no other app uses.",
      valueName: "account"))
  var user: String?
  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("As root: the user who gets a credential. Default: who has run sudo.", valueName: "user"))
  var owner: String?
  @Flag(help: "As root: install the program only, and give nobody a credential, as a package does.")
  var programOnly = false
  @Flag(help: "Only the app uses the account of the vault. With --on, of the vault on that machine.")
  var ownAccount = false
  /// What root's process asks of the user's: to enrol these keys.
  @Option(help: .hidden)
  var publicKeys: String?
  @Flag(help: .hidden)
  var printsReceipt = false
  /// What root's process asks of the user's before it changes anything: whether the app is registered.
  @Flag(help: .hidden)
  var looksUp = false
  /// Whether root's process has started this one, and answers ``PassphraseQuestion``.
  @Flag(help: .hidden)
  var asksRoot = false

  func validate(with on: String?) throws {
    guard [on, user, setgid ?? owner ?? (programOnly ? "" : nil)].compactMap(\.self).count <= 1 else {
      throw ValidationError("give only one of --on, --user and --setgid")
    }
    guard !programOnly || setgid != nil && owner == nil else {
      throw ValidationError("--program-only is for --setgid, without --for.")
    }
    guard publicKeys.map({ PartyPublicKeys(hexadecimal: $0) != nil }) ?? true else {
      throw ValidationError("--public-keys is malformed.")
    }
  }

  /// Whether root installs the app: if an option says so, or if a user has run this with sudo for an app that a package
  /// has installed.
  func isForRoot(_ app: String) -> Bool {
    if setgid != nil || user != nil || owner != nil { return true }
    guard geteuid() == 0, Self.sudoUser != nil, let id = try? Self.bundleID(of: app) else { return false }
    return InstalledApp(id).program != nil || (try? PackagedApp.find(id)) != nil
  }

  /// The number of the user who has run sudo.
  static var sudoUser: String? { CurrentProcess.environment["SUDO_UID"].flatMap { $0.isEmpty ? nil : $0 } }

  /// Returns the bundle identifier in the name of an app.
  static func bundleID(of app: String) throws(VaultError) -> BundleID {
    guard let id = ApplicationID(app)?.bundleID ?? BundleID(app) else {
      throw VaultError(
        .invalidArgument, "\(app.sanitizedForTerminal()) is not an application identifier",
        recoverySuggestion: "a bundle identifier has \(BundleID.form)")
    }
    return id
  }

  /// Returns the user who gets or has a credential.
  static func user(named name: String?) throws(VaultError) -> SystemUser {
    guard let name = name ?? sudoUser else {
      throw VaultError(
        .invalidArgument, "it is not known which user this is for", recoverySuggestion: "name the user with --for USER")
    }
    let user = try SystemUser.find(name)
    guard user.id != 0 else {
      throw VaultError(
        .invalidArgument, "root reads everything, so nothing keeps an app's keys from other programs of root",
        recoverySuggestion: "name another user with --for USER")
    }
    return user
  }
}
