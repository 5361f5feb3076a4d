internal import CofferAgent
internal import CofferPlatform
internal import CofferSystem
package import CofferTrust
internal import CofferVault

/// An app in a sandbox, whose vault is outside of it: the broker opens the vault for the app.
package struct SandboxedApp: Sendable {
  private let app: BundleID
  private let plist: InstalledEntitlements

  /// Finds the plist that the installation of an app has deployed.
  ///
  /// - Parameters:
  ///   - app: The app's identifier, as its sandbox states it.
  ///   - folder: The files of the app, as its sandbox states them.
  /// - Throws: ``VaultError``: `notEntitled` if there is no plist, if another user than root can write it, if it is not
  ///   valid or another app's, and for Coffer's own names.
  package init(_ app: BundleID, deployedIn folder: String) throws(VaultError) {
    let place = InstalledEntitlements.place(of: app)
    let path = "\(folder)/share/\(place)"
    let file: ProtectedPath?
    do throws(ProtectedPath.Weakness) {
      file = try ProtectedPath.follow(path)
    } catch {
      throw VaultError(
        .notEntitled, "nobody vouches for the entitlements of \(app): \(error.reason)",
        recoverySuggestion: "install the app for all users: flatpak install --system REMOTE \(app)")
    }
    // A link would lead to the plist of another app.
    guard let file, file.path.hasSuffix("/share/\(place)") else {
      throw VaultError(
        .notEntitled, "the app \(app) has no entitlements",
        recoverySuggestion: "let its manifest install the plist as /app/share/\(place)")
    }
    self.app = app
    plist = try InstalledEntitlements.read(file)
    // Another app's identifier is refused here.
    let entitlements = try plist.request(for: app, in: .placeholder).entitlements(in: .placeholder)
    try UnattendedRegistration(plist: plist, team: try plist.team()).checkNames(of: entitlements)
  }

  /// Opens the vault as the app. Its first launch creates and registers what it needs, as that of any other app.
  ///
  /// - Parameter location: The vault's location.
  /// - Returns: The vault, as ``Vault/open(_:at:creatingIfNeeded:askingForRegistration:)``.
  /// - Throws: The errors of that function, and `notEntitled` if an app of another vendor is registered by this
  ///   identifier.
  package func open(at location: VaultLocation) throws(VaultError) -> Vault {
    let folder = try VaultFolder.at(location)
    let launch = FirstLaunch(
      document: plist.document, bundleIdentifier: app.description, folder: folder, prompt: nil, deployed: plist)
    try launch.createVault()
    let local = try LocalVault.open(folder)
    let membership = try local.publishedMembership()
    let entitlements = try plist.request(for: app, in: membership.team).entitlements(in: membership.team)
    if membership.apps[entitlements.applicationID] != nil {
      // By an identifier alone, it would get the groups of that app.
      try UnattendedRegistration(plist: plist, team: try plist.team()).check(entitlements, in: membership)
    }
    try launch.registerIfNeeded(in: local)
    return try Vault.open(
      .bytes(plist.bytes, bundleIdentifier: app.description), at: location, creatingIfNeeded: false)
  }

  /// Whether the files of a Flatpak that is installed for all users have a plist of the app, which then runs in a
  /// sandbox.
  static func isDeployed(_ app: BundleID) -> Bool {
    // As flatpak itself does.
    let folder = CurrentProcess.variable("FLATPAK_SYSTEM_DIR") ?? "/var/lib/flatpak"
    let path = "\(folder)/app/\(app)/current/active/files/share/\(InstalledEntitlements.place(of: app))"
    return ((try? ProtectedPath.follow(path)) ?? nil) != nil
  }

  /// Whether this process is in a Flatpak, whose own vault would be a private one.
  static var isThisProcess: Bool { FileManager.default.fileExists(atPath: "/.flatpak-info") }

  /// The permission that an app in a Flatpak needs.
  package static let permissionAdvice =
    "add --talk-name=\(SecretServiceReport.appsName) to the finish-args of the app's manifest"

  /// Why this process must not create a vault: its sandbox would keep that from all other apps. Nil outside of a
  /// Flatpak.
  static var errorOfThisProcess: VaultError? {
    guard isThisProcess else { return nil }
    return VaultError(
      .noVault, "this app is in a Flatpak, and a vault in it would be one of its own",
      recoverySuggestion:
        "add the product CofferSandbox to the app's dependencies in Package.swift, to reach the user's vault, and \(permissionAdvice)"
    )
  }
}
