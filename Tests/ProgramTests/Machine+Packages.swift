import CofferTestSupport
import Foundation

/// What a package of an app installs: its plist in a folder of shared data, here below the machine's own folder.
extension Machine {
  /// The folder of the installed plists.
  var packages: URL { directory.url.appending(path: "share/coffer/apps") }

  /// Has the machine's programs look for installed plists in ``packages``.
  func usePackages() throws {
    try FileManager.default.createDirectory(at: packages, withIntermediateDirectories: true)
    environment["XDG_DATA_DIRS"] = directory.path("share")
  }

  /// Installs a plist as an app's package does, and returns its path. With a team key, the plist is signed.
  @discardableResult
  func installPackage(_ identifier: String, plist: String, teamKey: String? = nil) throws -> String {
    try usePackages()
    let path = packages.appending(path: "\(identifier).entitlements").path
    try? FileManager.default.removeItem(atPath: path)
    try FileManager.default.copyItem(atPath: plist, toPath: path)
    if let teamKey { try coffer("app", "sign", path, "--team-key", teamKey) }
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    return path
  }

  /// Installs the packages of the two example apps, which one vendor has signed. Returns the path of its team key.
  @discardableResult
  func installExamples() throws -> String {
    let key = try makeTeamKey("team-key")
    try installPackage("com.example.photo.pro", plist: Self.entitlements(of: "PhotoPro"), teamKey: key)
    try installPackage("com.example.photo.free", plist: Self.entitlements(of: "PhotoFree"), teamKey: key)
    return key
  }

  /// Creates a team key in a new file and returns its path.
  func makeTeamKey(_ name: String) throws -> String {
    let path = directory.path(name)
    try coffer("team", "create", path)
    return path
  }

  /// The names of the folders of vaults, and of what else is beside them.
  func vaultNames() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: home.appending(path: "vaults").path).sorted()
  }
}
