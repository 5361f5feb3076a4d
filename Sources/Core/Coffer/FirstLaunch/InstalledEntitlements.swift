internal import CofferCrypto
package import CofferFormat
internal import CofferPlatform
internal import CofferSystem
package import CofferTrust
package import CofferVault

/// The plist of an app, as its package has installed it: `coffer/apps/IDENTIFIER.entitlements` in a folder of shared
/// data.
///
/// Whoever may write there vouches for the plist, as a signature does on Apple's systems: root, or the owner of
/// Homebrew's folder.
struct InstalledEntitlements {
  /// The path of the plist, without symbolic links.
  let path: String
  /// The name of the user to whom the plist belongs.
  let owner: String
  let bytes: [UInt8]
  let document: EntitlementsDocument

  /// The folders of Homebrew that can belong to another user than root.
  private static let homebrewPrefixes = ["/home/linuxbrew/.linuxbrew", "/opt/homebrew", "/usr/local"]
  private static let systemFolders = ["/usr/local/share", "/usr/share"]
  private static let maximumFolderCount = 64

  /// The path at which a package installs the plist of an app, for messages.
  static func advisedPath(of app: BundleID) -> String { "/usr/share/\(place(of: app))" }

  static func place(of app: BundleID) -> String { "coffer/apps/\(app).entitlements" }

  /// Finds the plist of an app in the folders of `XDG_DATA_DIRS`, of the system and of Homebrew.
  ///
  /// - Parameters:
  ///   - app: The app's bundle identifier.
  ///   - environment: The environment of the process; without variables if it has elevated privileges.
  /// - Returns: The plist; nil if no package has installed one.
  /// - Throws: ``VaultError``: `notEntitled` if nobody vouches for a plist that is found, if it is not valid or another
  ///   app's, or if two packages have installed different ones.
  static func find(
    _ app: BundleID, environment: [String: String] = CurrentProcess.environment
  ) throws(VaultError) -> InstalledEntitlements? {
    var found: InstalledEntitlements?
    var refusal: VaultError?
    for folder in folders(environment) {
      let path = "\(folder)/\(place(of: app))"
      let file: ProtectedPath?
      do throws(ProtectedPath.Weakness) {
        file = try ProtectedPath.follow(path, owners: owners(of: path))
      } catch {
        // It must not keep the app from its package's plist.
        refusal = refusal ?? unvouched(path, error, advised: advisedPath(of: app))
        continue
      }
      guard let file else { continue }
      let next = try read(file)
      guard let first = found else {
        found = next
        continue
      }
      guard first.bytes == next.bytes else {
        throw VaultError(
          .notEntitled, "two packages have installed different entitlements of \(app): \(first.path) and \(next.path)",
          recoverySuggestion: "remove the package that is not the app's")
      }
    }
    if found == nil, let refusal { throw refusal }
    return found
  }

  /// Finds the plist that a package has installed under the name of its program: for `PREFIX/bin/NAME`,
  /// `PREFIX/share/coffer/apps/NAME.entitlements`.
  ///
  /// The name of a program proves nothing, so the program must be the package's, too: only who vouches for the plist
  /// can have put it there.
  ///
  /// - Parameters:
  ///   - program: The absolute path of the program, without symbolic links.
  ///   - environment: The environment of the process; without variables if it has elevated privileges.
  /// - Returns: The path of the plist; nil if there is none, or if nobody vouches for the program.
  /// - Throws: ``VaultError``: `notEntitled` if nobody vouches for the only plist that is found.
  static func path(
    ofProgram program: String, environment: [String: String] = CurrentProcess.environment
  ) throws(VaultError) -> String? {
    let name = URL(fileURLWithPath: program).lastPathComponent
    var refusal: VaultError?
    // `/usr/local/bin` is below `/usr`, and its data is in `/usr/local/share`.
    let own = folders(environment).filter { program.hasPrefix($0.parentFolder + "/") }
      .sorted { $0.parentFolder.utf8.count > $1.parentFolder.utf8.count }
    for folder in own {
      let path = "\(folder)/coffer/apps/\(name).entitlements"
      guard !isAbsent(path) else { continue }
      let owners = owners(of: path)
      guard (try? ProtectedPath.follow(program, owners: owners)) != nil else { return nil }
      do throws(ProtectedPath.Weakness) {
        if let file = try ProtectedPath.follow(path, owners: owners) { return file.path }
      } catch {
        refusal = refusal ?? unvouched(path, error, advised: "/usr/share/coffer/apps/\(name).entitlements")
      }
    }
    if let refusal { throw refusal }
    return nil
  }

  /// Returns the key of the vendor's team that has signed the plist; nil if none has.
  func team() throws(VaultError) -> VerifyingKey? {
    try translatingErrors { try document.team() }
  }

  private static func folders(_ environment: [String: String]) -> [String] {
    let given = (environment["XDG_DATA_DIRS"] ?? "").split(separator: ":").prefix(maximumFolderCount)
      .map(String.init).filter { $0.hasPrefix("/") && $0.utf8.count <= 3_500 && !$0.utf8.contains(0) }
    return given + systemFolders + homebrewPrefixes.map { "\($0)/share" }
  }

  static func read(_ file: ProtectedPath) throws(VaultError) -> InstalledEntitlements {
    let bytes = try readEntitlements(at: URL(fileURLWithPath: file.path))
    let document = try EntitlementsSource.parse(bytes, source: file.path)
    return InstalledEntitlements(path: file.path, owner: file.ownerName, bytes: bytes, document: document)
  }

  static func unvouched(_ path: String, _ refusal: ProtectedPath.Weakness, advised: String) -> VaultError {
    VaultError(
      .notEntitled, "nobody vouches for the entitlements at \(path): \(refusal.reason)",
      recoverySuggestion:
        "install them as root, with folders and a file that only root can write, as \(advised)")
  }

  /// Who may own a file apart from root: in Homebrew's folder, who owns that.
  private static func owners(of path: String) -> Set<UInt32> {
    guard let prefix = homebrewPrefixes.first(where: { path.hasPrefix("\($0)/") }) else { return [] }
    var status = stat()
    return unsafe lstat(prefix, &status) == 0 ? [status.st_uid] : []
  }
}

extension InstalledEntitlements {
  /// The registration of an app by this plist.
  func request(for app: BundleID, in team: TeamID) -> AppRegistration.Request {
    AppRegistration.Request(
      plist: bytes, source: path, bundleID: app.description, sourcePrefix: document.sourcePrefix(in: team))
  }
}

extension EntitlementsDocument {
  /// A prefix that is written out in a plist is a label, which is read as the vault's.
  func sourcePrefix(in team: TeamID) -> String? { literalTeam.flatMap { $0 == team.description ? nil : $0 } }
}

extension TeamID {
  /// Stands for the team of a vault that does not exist yet, in checks that do not depend on the team.
  static let placeholder = TeamID(genesis: EntryHash(.zero))
}

/// An app whose package has installed its plist, for the user for whom root installs the app. An installed program
/// never registers itself, so the command that gives it a credential does, by the rule for first launches.
package struct PackagedApp: Sendable {
  private let app: BundleID
  private let plist: InstalledEntitlements

  /// Finds the plist that a package has installed for an app. Returns nil if there is none, and throws `notEntitled` if
  /// nobody vouches for it.
  package static func find(_ app: BundleID) throws(VaultError) -> PackagedApp? {
    guard let plist = try InstalledEntitlements.find(app) else { return nil }
    return PackagedApp(app: app, plist: plist)
  }

  /// Throws `notEntitled` if no vault would register the app by its plist, before a vault is created for it.
  package func check() throws(VaultError) {
    try rule().checkNames(of: plist.request(for: app, in: .placeholder).entitlements(in: .placeholder))
  }

  /// Throws `notEntitled` if the vault would not register the app by its plist, before anything is changed for it.
  package func check(in local: LocalVault) throws(VaultError) {
    let membership = try local.publishedMembership()
    let application = ApplicationID(team: membership.team, bundleID: app)
    if let error = membership.removalError(ofAppNamed: application.description) { throw error }
    let request = plist.request(for: app, in: membership.team)
    try rule().check(request.entitlements(in: membership.team), in: membership)
  }

  /// Registers the app, and makes no credential file. Returns the position of the change in the log. Throws
  /// `notEntitled` if an owner has removed the app, and for a plist that claims a group of another vendor: an owner who
  /// means it runs `coffer app add`.
  package func register(with registration: AppRegistration, in local: LocalVault) throws(VaultError) -> LogPosition? {
    try check(in: local)
    let request = plist.request(for: app, in: try local.publishedMembership().team)
    return try registration.register(
      request, keepingRights: true, createsCredential: false, check: rule().check
    ).position
  }

  private func rule() throws(VaultError) -> UnattendedRegistration {
    UnattendedRegistration(plist: plist, team: try plist.team())
  }
}

/// Misspelt keys in the plists of an app that is registered: neither its program nor `coffer-sync` names them, because
/// an app that has opened its vault goes on.
package enum PlistSpelling {
  /// Returns the errors of the plist with which an app was registered, and of the one that its package has installed
  /// now. Each has the path of the file, or says that the plist is the registered one.
  package static func problems(of app: App) -> [VaultError] {
    var problems: [VaultError] = []
    func check(_ bytes: [UInt8], _ source: String) {
      do throws(EntitlementsError) {
        try EntitlementsDocument.checkSpelling(ofKeysIn: bytes, source: source)
      } catch {
        if error.code == .misspelledKey { problems.append(VaultError(error)) }
      }
    }
    let registered = app.statement.entitlements
    // It cannot be read if nobody vouches for it, which the app itself says.
    if let installed = try? InstalledEntitlements.find(app.id.bundleID) {
      check(installed.bytes, installed.path)
      if installed.bytes == registered { return problems }
    }
    check(registered, "the registered plist of \(app.id.bundleID)")
    return problems
  }
}
