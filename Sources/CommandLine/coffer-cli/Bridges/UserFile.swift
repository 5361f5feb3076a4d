internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

/// A text file in which this user configures programs.
struct UserFile {
  let path: String

  /// A file below the home folder.
  static func home(_ path: String) -> UserFile { UserFile(path: "\(homeFolder)/\(path)") }

  /// A file of the user's configuration (`XDG_CONFIG_HOME`).
  static func configuration(_ path: String) -> UserFile {
    variable("XDG_CONFIG_HOME").map { UserFile(path: "\($0)/\(path)") } ?? home(".config/\(path)")
  }

  /// The file that a variable of the environment names, or another one.
  static func named(by name: String, or other: UserFile) -> UserFile {
    variable(name).map(UserFile.init) ?? other
  }

  /// A file in the folder that a variable of the environment names, or another one.
  static func inFolder(namedBy name: String, _ file: String, or other: UserFile) -> UserFile {
    variable(name).map { UserFile(path: "\($0)/\(file)") } ?? other
  }

  private static var homeFolder: String { CurrentProcess.variable("HOME") ?? "/" }

  private static func variable(_ name: String) -> String? {
    CurrentProcess.variable(name).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Returns the text; nil if the file does not exist. Throws `invalidArgument` for what is no text, or cannot be read.
  func read() throws(VaultError) -> String? {
    guard !isAbsent(path) else { return nil }
    guard let bytes = try? SecretInput.contents(of: path, what: "file") else { throw unusable("cannot be read") }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw unusable("is no text in UTF-8") }
    return text
  }

  /// Returns the error for a file that its program cannot read either. `what` is a clause without its subject.
  func unusable(_ what: String) -> VaultError {
    VaultError(
      .invalidArgument, "\(path.sanitizedForTerminal(limit: .max)) \(what); nothing was changed",
      recoverySuggestion: "repair the file, or move it away with `mv \(path.shellWord) \((path + ".old").shellWord)`")
  }

  /// Writes the file in one step, with its folder. A file that exists keeps its mode, and stays where a symbolic link
  /// leads; a new one has the given mode.
  func write(_ text: String, mode: mode_t = 0o600) throws(VaultError) {
    try makeFolder()
    let target = target
    var status = stat()
    let isKept = unsafe stat(target, &status) == 0
    try ReplacedFile.write(Array(text.utf8), to: target, mode: isKept ? status.st_mode & 0o777 : mode)
  }

  /// Deletes the file. A symbolic link stays: what it leads to then has the given text.
  func clear(leaving text: String = "") throws(VaultError) {
    var status = stat()
    guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return try delete() }
    try write(text)
  }

  func delete() throws(VaultError) {
    guard unsafe unlink(path) == 0 || errno == ENOENT else { throw systemFailure("remove \(path)") }
  }

  /// The path without symbolic links, with which people keep their configuration elsewhere.
  private var target: String {
    guard let resolved = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(resolved) }
    return unsafe String(validatingCString: resolved) ?? path
  }

  private func makeFolder() throws(VaultError) {
    let folder = path.parentFolder
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw VaultError(
        .io, "cannot make the folder \(folder.sanitizedForTerminal())",
        recoverySuggestion: "check the owner and the mode of the folder above")
    }
  }
}

/// A configuration file of which the bridge writes all lines. The first one is its mark. What a user adds after them
/// stays.
struct FileSetting: BridgeSetting {
  let file: UserFile
  let mark: String
  let text: String

  var place: String { file.path }
  var wanted: String { "\(mark)\n\(text)" }

  func current() throws(VaultError) -> String? {
    try file.read().flatMap { $0.hasPrefix(wanted) ? wanted : nil }
  }

  func checkIsFree() throws(VaultError) {
    guard try file.read() != nil, try current() == nil else { return }
    throw VaultError.fileOfOthers(
      file.path, "move it away with `mv \(file.path.shellWord) \((file.path + ".old").shellWord)`, then try again")
  }

  func write() throws(VaultError) { try file.write(wanted, mode: 0o644) }

  func remove() throws(VaultError) {
    guard let text = try file.read(), text.hasPrefix(wanted) else { return }
    let rest = text.dropFirst(wanted.count)
    if rest.isEmpty { try file.delete() } else { try file.write(String(rest)) }
  }
}

extension VaultError {
  /// The error for a file that is in the way and that Coffer has not written.
  static func fileOfOthers(_ path: String, _ suggestion: String) -> VaultError {
    VaultError(
      .invalidArgument, "\(path.sanitizedForTerminal(limit: .max)) was written by somebody else; nothing was changed",
      recoverySuggestion: suggestion)
  }
}
