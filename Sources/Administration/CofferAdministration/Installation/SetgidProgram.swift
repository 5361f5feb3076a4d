internal import Coffer
internal import CofferPlatform
internal import CofferSystem
package import CofferVault

/// A program that root makes setgid.
struct SetgidProgram: ~Copyable {
  private let path: String
  private let descriptor: Int32

  private init(path: String, descriptor: Int32) {
    self.path = path
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Opens a program. Throws `invalidArgument` if it cannot be setgid, or if somebody else than root could then change
  /// what it does.
  static func open(_ path: String) throws(VaultError) -> SetgidProgram {
    guard path.hasPrefix("/"), !path.split(separator: "/").contains("..") else {
      throw refusal(of: path, "is not an absolute path", "give the program's path from the root folder")
    }
    if let weakness = ProtectedPath.weakness(of: path) {
      throw refusal(
        of: path, "can be changed by others than root: \(weakness)",
        "put the program, as root, into a folder such as /usr/bin or /opt, and install it from there")
    }
    let descriptor = systemOpen(path)
    guard descriptor >= 0 else { throw systemFailure("open the program \(path.sanitizedForTerminal())") }
    let program = SetgidProgram(path: path, descriptor: descriptor)
    try program.check()
    return program
  }

  /// The name of the program's file.
  var name: String { String(path.split(separator: "/").last ?? "") }

  /// Whether a path leads to the same file, or is the same path.
  func isFile(at other: String) -> Bool {
    var (own, found) = (stat(), stat())
    guard other != path else { return true }
    guard unsafe fstat(descriptor, &own) == 0, unsafe stat(other, &found) == 0 else { return false }
    return own.st_dev == found.st_dev && own.st_ino == found.st_ino
  }

  private static func refusal(of path: String, _ what: String, _ suggestion: String) -> VaultError {
    VaultError(.invalidArgument, "\(path.sanitizedForTerminal()) \(what)", recoverySuggestion: suggestion)
  }

  private func check() throws(VaultError) {
    var status = stat()
    var volume = statvfs()
    guard unsafe fstat(descriptor, &status) == 0, unsafe fstatvfs(descriptor, &volume) == 0,
      status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o111 != 0
    else { throw Self.refusal(of: path, "is not a program", "give the path of the program that opens the vault") }
    guard status.st_mode & 0o4000 == 0 else {
      throw Self.refusal(
        of: path, "is setuid, and an app runs as its user", "take that bit away with: chmod u-s \(path.shellWord)")
    }
    guard status.st_nlink == 1 else {
      throw Self.refusal(
        of: path, "has other names (hard links), which would keep the group after an upgrade",
        "find them with `find / -xdev -samefile \(path.shellWord)`, and delete them")
    }
    guard UInt64(volume.f_flag) & UInt64(ST_NOSUID) == 0 else {
      throw Self.refusal(
        of: path, "is on a file system that is mounted nosuid", "put the program on another file system")
    }
    guard unsafe access(path, W_OK) == 0 else {
      throw Self.refusal(
        of: path, "cannot be changed: \(unsafe String(cString: strerror(errno)))",
        "mount its file system writable, or make the file changeable with: chattr -i \(path.shellWord)")
    }
    if let weakness = ProgramLibraries.weaknesses(ofProgram: descriptor).first {
      throw Self.refusal(
        of: path, "cannot be installed: \(weakness)",
        "link the program that opens the vault with -static-stdlib and without other folders for libraries (-rpath)")
    }
  }

  /// Gives the program a group, with which it then runs.
  func give(group: UInt32, named name: String) throws(VaultError) -> ProgramFile {
    // Packages that replace the program keep owner and mode.
    if SystemCommand.succeeds("dpkg-query", "--search", path) {
      _ = SystemCommand.succeeds("dpkg-statoverride", "--remove", path)
      try SystemCommand.run("dpkg-statoverride", "--add", "root", name, "2755", path)
    }
    guard fchown(descriptor, 0, group) == 0, fchmod(descriptor, mode_t(ProgramFile.mode)) == 0,
      let file = ProgramFile(path: path, descriptor: descriptor)
    else { throw systemFailure("change the group of \(path)") }
    return file
  }

  /// Makes an installed program an ordinary one. Does nothing if it is gone, or has the group of another app by now.
  /// Throws if the program cannot be opened or changed: it may still run with the group then.
  static func release(_ program: InstalledApp.Program) throws(VaultError) {
    let path = program.file.path
    let descriptor = systemOpen(path)
    defer { if descriptor >= 0 { close(descriptor) } }
    // A link is another file, and the installed program was none.
    guard descriptor >= 0 || errno == ELOOP || isAbsent(path) else { throw unreleased(program) }
    var status = stat()
    let isFile = unsafe descriptor >= 0 && fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    guard !isFile || status.st_gid == program.groupID || status.st_mode & mode_t(S_ISGID) == 0 else { return }
    if isFile {
      // The bit first: a program of root's group must not be setgid for a moment.
      let isOrdinary = fchmod(descriptor, status.st_mode & 0o755) == 0 && fchown(descriptor, 0, 0) == 0
      guard isOrdinary || status.st_gid != program.groupID && status.st_mode & mode_t(S_ISGID) == 0 else {
        throw unreleased(program)
      }
    }
    // Also for a path that is no file any more: dpkg stops at an override whose group is gone.
    _ = SystemCommand.succeeds("dpkg-statoverride", "--remove", path)
  }

  /// Throws if ``release(_:)`` would because the file cannot be changed.
  static func checkReleasable(_ program: InstalledApp.Program) throws(VaultError) {
    var status = stat()
    let path = program.file.path
    guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_gid == program.groupID,
      unsafe access(path, W_OK) != 0
    else { return }
    throw unreleased(program)
  }

  private static func unreleased(_ program: InstalledApp.Program) -> VaultError {
    let path = program.file.path.shellWord
    return VaultError(
      .io, "the program \(program.file.path) could not be made an ordinary one, and keeps its group \(program.group)",
      recoverySuggestion:
        "make the file changeable (mount its file system writable; `chattr -i \(path)`), check that `chmod g-s \(path)` works, and repeat the command"
    )
  }
}

// Outside of SetgidProgram, whose `open` would hide the system's.

private func systemOpen(_ path: String) -> Int32 {
  unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
}

/// The system's own programs, which root runs. They are looked for in folders of root, and see no variables of who
/// started this one.
package enum SystemCommand {
  private static let folders = ["/usr/sbin", "/usr/bin", "/sbin", "/bin"]

  /// Returns the path of a program of the system; nil if it is not installed.
  package static func path(of name: String) -> String? {
    folders.map { "\($0)/\(name)" }.first(where: FileManager.default.isExecutableFile)
  }

  /// Runs a program, and waits for it. Its output is discarded, its errors are those of this process.
  static func run(_ name: String, _ arguments: String...) throws(VaultError) {
    guard try exit(of: name, arguments) == .code(0) else {
      throw VaultError(
        .io, "\(name) has failed",
        recoverySuggestion: "see what it says with: \(name) \(arguments.joined(separator: " "))")
    }
  }

  /// Runs a program silently, and returns whether it was successful. False if it is not installed.
  static func succeeds(_ name: String, _ arguments: String...) -> Bool {
    (try? exit(of: name, arguments, isSilent: true)) == .code(0)
  }

  private static func exit(
    of name: String, _ arguments: [String], isSilent: Bool = false
  ) throws(VaultError) -> ChildProcess.Exit {
    guard let path = path(of: name) else {
      throw VaultError(
        .io, "the program \(name) is not installed", recoverySuggestion: "install the package that contains it")
    }
    do throws(SystemError) {
      return try ChildProcess.start(
        path, arguments: arguments, environment: ["PATH": folders.joined(separator: ":")], input: .null, output: .null,
        errors: isSilent ? .null : .inherited
      ).wait()
    } catch {
      throw VaultError(.io, "\(error)", recoverySuggestion: "try again")
    }
  }
}

/// A user of the operating system.
package struct SystemUser: Hashable, Sendable {
  package let id: UInt32
  package let groupID: UInt32
  package let name: String
  /// Whether people can log in with the account.
  package let hasLoginShell: Bool

  /// Returns a user by name or number. Throws `invalidArgument` if there is none.
  package static func find(_ text: String) throws(VaultError) -> SystemUser {
    let entry = if let id = UInt32(text) { unsafe getpwuid(id) } else { unsafe getpwnam(text) }
    guard let entry = unsafe entry, let name = unsafe entry.pointee.pw_name else {
      throw VaultError(
        .invalidArgument, "the system has no user \(text.sanitizedForTerminal())",
        recoverySuggestion: "give the name or the number of a user")
    }
    let shell = unsafe entry.pointee.pw_shell.map { unsafe String(cString: $0) } ?? ""
    let barred = ["nologin", "false"].contains { shell.hasSuffix("/\($0)") }
    return unsafe SystemUser(
      id: entry.pointee.pw_uid, groupID: entry.pointee.pw_gid, name: String(cString: name), hasLoginShell: !barred)
  }
}
