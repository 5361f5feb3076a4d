public import CofferPlatform
internal import CofferSystem

/// The folder of one vault.
public struct VaultLocation: Hashable, Sendable {
  /// The vault's folder. It does not have to exist yet.
  public let folder: URL

  /// Creates the location of a vault in a folder that the program chooses.
  public init(folder: URL) {
    // Foundation takes an eighth of the instructions of `coffer get` to find that there is nothing to do.
    self.folder = Self.isStandard(folder) ? folder : folder.standardizedFileURL
  }

  private static func isStandard(_ folder: URL) -> Bool {
    let path = folder.path(percentEncoded: true)
    guard folder.baseURL == nil, path.hasPrefix("/"), !path.hasPrefix("/private") else { return false }
    let names = path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    return !names.dropLast().contains(where: \.isEmpty)
      && !names.contains { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }
  }

  /// Whether this is the vault that commands use without variables.
  package var isUsersOwn: Bool {
    folder == CurrentProcess.variable("HOME").map { Self.standardFolder(inHome: $0).standardizedFileURL }
  }

  /// Returns the location of the user's own vault: `vaults/default` in the folder that `COFFER_HOME` names, or in the
  /// folder `coffer` of the XDG data folder (`XDG_DATA_HOME`, `~/.local/share` by default).
  ///
  /// `COFFER_VAULT` selects another vault than `default` there: a name of at most 64 letters, digits, `.`, `_` and `-`.
  ///
  /// If `COFFER_CREDENTIAL_FILE` names a headless credential, there is no such vault: the program reads a repository,
  /// and what needs a vault in a folder fails.
  ///
  /// A program that gained privileges when it was started (setuid, setgid) ignores the environment and takes the home
  /// folder from the user database.
  ///
  /// - Throws: ``VaultError/Code/readOnly`` if `COFFER_CREDENTIAL_FILE` is set; ``VaultError/Code/invalidArgument`` if
  ///   neither `COFFER_HOME` nor `HOME` is set, if a variable holds a relative path or one that is not UTF-8, or if
  ///   `COFFER_VAULT` is not a valid name.
  public static func standard() throws(VaultError) -> VaultLocation {
    try standard(environment: CurrentProcess.environment, malformed: GivenText.malformedVariables)
  }

  /// Returns the location of the user's own vault in an environment, as ``standard()``. `malformed` are the names of
  /// variables that are not UTF-8.
  package static func standard(
    environment: [String: String], malformed: @autoclosure () -> Set<String> = []
  ) throws(VaultError) -> VaultLocation {
    if headlessCredential({ environment[$0] }) != nil {
      throw VaultError(
        .readOnly,
        "this process has a headless credential, which only reads items, and this needs a machine's own vault",
        recoverySuggestion:
          "unset \(credentialVariable) and CREDENTIALS_DIRECTORY, or run this on a machine of the vault")
    }
    func folder(_ variable: String) throws(VaultError) -> URL? {
      guard let path = environment[variable], !path.isEmpty else { return nil }
      // What is not UTF-8 was read as U+FFFD.
      guard !path.unicodeScalars.contains("\u{FFFD}") || !malformed().contains(variable) else {
        throw VaultError(
          .invalidArgument, "the variable \(variable) is not UTF-8", recoverySuggestion: GivenText.recoverySuggestion)
      }
      guard path.hasPrefix("/"), !path.utf8.contains(0), path.utf8.count <= 3_500 else {
        throw VaultError(
          .invalidArgument, "\(variable) holds a relative or overlong path",
          recoverySuggestion: "set it to an absolute path")
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
        recoverySuggestion: "set COFFER_HOME to a folder")
    }
    return VaultLocation(folder: home.appending(path: "vaults/\(try name(in: environment))"))
  }

  /// Returns the folder of the user's own vault where no variable but `HOME` says where it is.
  package static func standardFolder(inHome path: String) -> URL {
    URL(fileURLWithPath: path, isDirectory: true).appending(path: ".local/share/coffer/vaults/default")
  }

  /// The variable of the environment that names a headless credential.
  package static let credentialVariable = "COFFER_CREDENTIAL_FILE"

  /// The path of the headless credential that an environment names, or that the service manager has given to this unit;
  /// nil for none.
  package static func headlessCredential(_ variable: (String) -> String? = CurrentProcess.variable) -> String? {
    variable(credentialVariable).flatMap { $0.isEmpty ? nil : $0 } ?? unitCredential(variable)
  }

  /// The path of the credential `coffer` that the service manager has given to this unit; nil for none.
  package static func unitCredential(_ variable: (String) -> String? = CurrentProcess.variable) -> String? {
    guard let folder = variable("CREDENTIALS_DIRECTORY"), folder.hasPrefix("/") else { return nil }
    let path = "\(folder)/coffer"
    return isAbsent(path) ? nil : path
  }

  /// Whether a path is in the folder in which only root's service manager puts credentials. Those of a user's own units
  /// can be read by the user's other programs.
  package static func isOfSystemUnit(_ path: String) -> Bool {
    path.hasPrefix("/run/credentials/") && !path.contains("/../")
  }

  /// The value of `COFFER_VAULT` that selects a vault in memory.
  private static let memoryName = ":memory:"

  /// Whether the environment asks for a vault in memory.
  package static var isInMemory: Bool { CurrentProcess.variable("COFFER_VAULT") == memoryName }

  private static func name(in environment: [String: String]) throws(VaultError) -> String {
    guard let name = environment["COFFER_VAULT"], !name.isEmpty else { return "default" }
    guard name != memoryName else {
      throw VaultError(
        .invalidArgument, "COFFER_VAULT asks for a vault in memory, and this needs one in a folder",
        recoverySuggestion: "unset COFFER_VAULT")
    }
    guard name.utf8.count <= 64, !name.hasPrefix("."), !name.hasPrefix("-"),
      name.unicodeScalars.allSatisfy({
        $0.isASCII && ($0.properties.isAlphabetic || "0123456789._-".unicodeScalars.contains($0))
      })
    else {
      throw VaultError(
        .invalidArgument, "COFFER_VAULT is not a valid name of a vault",
        recoverySuggestion:
          "use at most 64 letters, digits, dots, underscores and hyphens, beginning with a letter or digit")
    }
    return name
  }

  private static func homeInUserDatabase() -> URL? {
    guard let entry = unsafe getpwuid(getuid()), let path = unsafe entry.pointee.pw_dir else { return nil }
    return unsafe URL(fileURLWithPath: String(cString: path), isDirectory: true)
  }
}

/// The version of the library and its programs.
public enum CofferVersion {
  /// Semantic version, for instance `0.2.0`.
  public static let text = "0.2.0"
}
