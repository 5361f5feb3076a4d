internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

/// The services of the current user, which systemd manages.
struct UserServices {
  private let folder: URL
  /// What to do on a system without systemd.
  private let alternative: String

  /// Finds the user's units by the environment variables. The alternative is what somebody does if systemd does not
  /// manage services, as an instruction. Throws `invalidArgument` if neither `XDG_CONFIG_HOME` nor `HOME` is an
  /// absolute path.
  init(environment: [String: String] = CurrentProcess.environment, alternative: String) throws(VaultError) {
    func path(_ variable: String) -> String? { environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil } }
    guard let configuration = path("XDG_CONFIG_HOME") ?? path("HOME").map({ $0 + "/.config" }) else {
      throw VaultError(
        .invalidArgument, "HOME is not set, so there is no place for a user's service",
        recoverySuggestion: "set HOME to your home folder")
    }
    folder = URL(fileURLWithPath: configuration, isDirectory: true).appending(path: "systemd/user")
    self.alternative = alternative
  }

  /// The path of a unit's file.
  func path(of unit: String) -> String { folder.appending(path: unit).path(percentEncoded: false) }

  /// Returns the text of a unit; nil if there is none.
  func text(of unit: String) -> String? { try? String(contentsOfFile: path(of: unit), encoding: .utf8) }

  /// Writes the file of a unit in one step.
  func write(_ file: ServiceUnits.File) throws(VaultError) {
    let target = path(of: file.name)
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(file.text.utf8).write(to: URL(fileURLWithPath: target), options: .atomic)
    } catch {
      let cause = (error as? CocoaError)?.underlying as? POSIXError
      throw systemFailure("write \(target)", number: cause?.code.rawValue ?? EIO)
    }
  }

  /// Deletes the file of a unit. Returns whether there was one.
  func delete(_ unit: String) throws(VaultError) -> Bool {
    let target = path(of: unit)
    if unsafe unlink(target) == 0 { return true }
    guard errno == ENOENT || errno == ENOTDIR else { throw systemFailure("delete \(target)") }
    return false
  }

  /// Checks that systemd manages the services of this user. The error has the alternative, or another one.
  func checkIsManaged(or other: String? = nil) throws(VaultError) {
    do throws(VaultError) {
      try control("show", "--property=Version")
    } catch {
      throw VaultError(error.code, error.message, recoverySuggestion: other ?? alternative)
    }
  }

  /// Runs `systemctl --user`, and returns what it has printed. Throws `io` if it is missing, or reports an error.
  @discardableResult
  func control(_ arguments: String...) throws(VaultError) -> String {
    let (exit, text) = try run(["--user", "--no-pager", "--no-ask-password"] + arguments)
    guard exit == .code(0) else {
      throw VaultError(
        .io,
        "`systemctl --user \(arguments.joined(separator: " "))` failed: \(text.sanitizedForTerminal(limit: 300))",
        recoverySuggestion: alternative)
    }
    return text
  }

  /// Whether a unit is in a state: `is-active` or `is-enabled`. False if systemd does not answer.
  func holds(_ state: String, _ unit: String) -> Bool {
    (try? run(["--user", state, "--quiet", unit]))?.exit == .code(0)
  }

  private func run(_ arguments: [String]) throws(VaultError) -> (exit: ChildProcess.Exit, text: String) {
    do throws(SystemError) {
      let output = try Descriptor.pipe()
      let child = try ChildProcess.start(
        "systemctl", arguments: arguments, searchesPath: true, input: .null,
        output: .descriptor(output.theirs.rawValue), errors: .descriptor(output.theirs.rawValue))
      let bytes = output.closeTheirs().readToEnd(maximumByteCount: 1 << 16)
      return (child.wait(), String(decoding: bytes, as: UTF8.self).trimmedSpace)
    } catch {
      throw VaultError(.io, "this system has no systemd", recoverySuggestion: alternative)
    }
  }
}
