internal import CofferSystem
public import Foundation

/// Where a vault lies: a folder of its own.
public struct VaultLocation: Hashable, Sendable {
  /// The vault's folder. It need not exist yet.
  public let folder: URL

  /// A vault at a place that the program chooses.
  public init(folder: URL) { self.folder = folder.standardizedFileURL }

  /// The user's vault: `vaults/default` in `COFFER_HOME`, or else in the folder `coffer` of the XDG data folder
  /// (`XDG_DATA_HOME`, or `~/.local/share`).
  ///
  /// `COFFER_VAULT` chooses another vault than `default` there, by a name of letters, digits, `.`, `_` and `-`.
  ///
  /// A program that gained privileges when it was started (setuid, setgid) ignores these variables but `HOME`'s
  /// counterpart in the user database.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` where no variable tells, or one holds a relative path.
  public static func standard() throws(VaultError) -> VaultLocation {
    try standard(environment: CurrentProcess.hasElevatedPrivileges ? [:] : ProcessInfo.processInfo.environment)
  }

  package static func standard(environment: [String: String]) throws(VaultError) -> VaultLocation {
    func folder(_ variable: String) throws(VaultError) -> URL? {
      guard let path = environment[variable], !path.isEmpty else { return nil }
      guard path.hasPrefix("/"), !path.utf8.contains(0), path.utf8.count <= 3_500 else {
        throw VaultError(
          .invalidArgument, "\(variable) holds a relative or overlong path", mend: "give it an absolute path")
      }
      return URL(fileURLWithPath: path, isDirectory: true)
    }
    let home: URL
    if let chosen = try folder("COFFER_HOME") {
      home = chosen
    } else if let data = try folder("XDG_DATA_HOME") {
      home = data.appending(path: "coffer")
    } else if let user = try folder("HOME") {
      home = user.appending(path: ".local/share/coffer")
    } else if environment.isEmpty, let user = homeInUserDatabase() {
      home = user.appending(path: ".local/share/coffer")
    } else {
      throw VaultError(
        .invalidArgument, "neither COFFER_HOME nor HOME is set, so there is no place for a vault",
        mend: "set COFFER_HOME to a folder")
    }
    return VaultLocation(folder: home.appending(path: "vaults/\(try name(in: environment))"))
  }

  /// What `COFFER_VAULT` says for a vault in memory: see ``Vault/shared``.
  static let memoryName = ":memory:"

  private static func name(in environment: [String: String]) throws(VaultError) -> String {
    guard let name = environment["COFFER_VAULT"], !name.isEmpty else { return "default" }
    guard name != memoryName else {
      throw VaultError(
        .invalidArgument, "COFFER_VAULT asks for a vault in memory, and this needs one in a folder",
        mend: "unset COFFER_VAULT")
    }
    guard name.utf8.count <= 64, !name.hasPrefix("."), !name.hasPrefix("-"),
      name.unicodeScalars.allSatisfy({
        $0.isASCII && ($0.properties.isAlphabetic || "0123456789._-".unicodeScalars.contains($0))
      })
    else {
      throw VaultError(
        .invalidArgument, "COFFER_VAULT holds no name of a vault",
        mend: "it has at most 64 letters, digits, dots, underscores and hyphens, and begins with a letter or digit")
    }
    return name
  }

  private static func homeInUserDatabase() -> URL? {
    guard let entry = unsafe getpwuid(getuid()), let path = unsafe entry.pointee.pw_dir else { return nil }
    return unsafe URL(fileURLWithPath: String(cString: path), isDirectory: true)
  }
}
