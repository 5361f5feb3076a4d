internal import ArgumentParser
internal import Coffer
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault
internal import Synchronization

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
      try control(["show", "--property=Version"], within: Self.questionTime)
    } catch {
      throw VaultError(error.code, error.message, recoverySuggestion: other ?? alternative)
    }
  }

  /// Runs `systemctl --user`, and returns what it has printed. Throws `io` if it is missing, or reports an error.
  @discardableResult
  func control(_ arguments: String...) throws(VaultError) -> String { try control(arguments) }

  @discardableResult
  func control(_ arguments: [String], within limit: Duration? = nil) throws(VaultError) -> String {
    let (exit, text) = try run(["--user", "--no-pager", "--no-ask-password"] + arguments, within: limit)
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
    (try? run(["--user", state, "--quiet", unit], within: Self.questionTime))?.exit == .code(0)
  }

  /// How long systemd may take for a question about its units.
  private static let questionTime = Duration.milliseconds(1_500)
  /// Whether it has not answered one: each further one would take as long.
  private static let isSilent = Atomic(false)

  private func run(
    _ arguments: [String], within limit: Duration?
  ) throws(VaultError) -> (exit: ChildProcess.Exit, text: String) {
    if !Self.isSilent.load(ordering: .relaxed) {
      do throws(SystemError) {
        if let answer = try Self.answer(to: arguments, within: limit) { return answer }
      } catch {
        throw VaultError(.io, "this system has no systemd", recoverySuggestion: alternative)
      }
      Self.isSilent.store(true, ordering: .relaxed)
    }
    throw VaultError(.io, "the user's systemd does not answer", recoverySuggestion: alternative)
  }

  /// Runs `systemctl`. Returns nil if it takes longer than `limit`.
  private static func answer(
    to arguments: [String], within limit: Duration?
  ) throws(SystemError) -> (exit: ChildProcess.Exit, text: String)? {
    let output = try Descriptor.pipe()
    let child = try ChildProcess.start(
      "systemctl", arguments: arguments, searchesPath: true, input: .null,
      output: .descriptor(output.theirs.rawValue), errors: .descriptor(output.theirs.rawValue))
    if let limit, child.wait(timeout: limit) == nil {
      child.terminate()
      return nil
    }
    let bytes = output.closeTheirs().readToEnd(maximumByteCount: 1 << 16)
    return (child.wait(), String(decoding: bytes, as: UTF8.self).trimmedSpace)
  }
}

/// Units of the current user that belong together: they are installed and removed as one.
struct UserUnits {
  /// A comment that begins each file: what has written it, and what deletes it.
  static func mark(install: String, remove: String) -> String {
    "# Written by `\(install)`, and deleted by `\(remove)`."
  }

  let services: UserServices
  /// The names of all units that an installation can have. The last one that is there is enabled, and starts the
  /// others.
  let names: [String]
  /// The first line of each of the files, or the second one if `--print` has written it. Others were written by
  /// somebody else, and stay as they are.
  let mark: String
  /// Receives the error of a unit that systemd does not stop, and throws if its files must stay.
  var checkStopped: (VaultError) throws(VaultError) -> Void = { _ in }

  private var present: [String] {
    names.filter { services.text(of: $0)?.split(separator: "\n").prefix(2).contains { $0 == mark } == true }
  }

  /// The paths of the files that are installed.
  var installed: [String] { present.map(services.path(of:)) }

  /// Writes the files, and lets systemd start the last unit, now and at each login. Units of an earlier installation
  /// are removed first if they are to stop, and are there again if systemd refuses. Throws `invalidArgument` for a
  /// file that somebody else has written.
  func install(_ files: [ServiceUnits.File], stoppingFormer: Bool = true) throws(VaultError) {
    for path in names.map(services.path(of:)) where !isAbsent(path) && !installed.contains(path) {
      throw VaultError.fileOfOthers(path, "move that unit away, then try again")
    }
    let former = present.map { ServiceUnits.File(name: $0, text: services.text(of: $0) ?? "") }
    if stoppingFormer { _ = try remove() }
    do throws(VaultError) {
      try start(files)
    } catch {
      // What runs with the former files goes on if it was not to stop.
      if stoppingFormer || former.isEmpty { _ = try? remove() }
      if !former.isEmpty { try? start(former) }
      throw error
    }
  }

  private func start(_ files: [ServiceUnits.File]) throws(VaultError) {
    for file in files { try services.write(file) }
    try services.control("daemon-reload")
    if let last = files.last { try services.control("enable", "--now", last.name) }
  }

  /// Stops the units and deletes their files. Returns the paths; none if nothing was installed.
  func remove() throws(VaultError) -> [String] {
    let present = present
    guard !present.isEmpty else { return [] }
    for name in present.reversed() {
      do throws(VaultError) {
        try services.control(name == present.last ? ["disable", "--now", name] : ["stop", name])
      } catch {
        try checkStopped(error)
      }
    }
    var deleted: [String] = []
    for name in present where try services.delete(name) { deleted.append(services.path(of: name)) }
    _ = try? services.control("daemon-reload")
    return deleted
  }

  /// Whether systemd runs the enabled unit, or waits for what starts it.
  var isActive: Bool { present.last.map { services.holds("is-active", $0) } ?? false }

  /// The command that starts the installed units again, as they are; nil if none is installed.
  var startCommand: String? { present.last.map { "systemctl --user enable --now \($0)" } }

  /// Whether systemd starts the enabled unit when the user logs in.
  var isEnabled: Bool { present.last.map { services.holds("is-enabled", $0) } ?? false }
}

/// What the commands print that install and remove services.
struct UnitOptions: ParsableArguments {
  @Flag(help: "Print the units, and install nothing.")
  var print = false

  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    if print, json { throw ValidationError("--print prints the units, which are no JSON") }
  }

  /// Prints files that would be written, for a person who installs them.
  static func show(_ files: [ServiceUnits.File]) throws(VaultError) {
    for file in files {
      try Output.line("# \(file.name)")
      try Output.line(file.text)
    }
  }

  /// Prints the paths of files that were written.
  static func showWritten(_ files: [String]) throws(VaultError) {
    for file in files { try Output.line("Wrote \(Output.cell(file))") }
  }

  /// Prints the paths of files that were deleted, or a sentence if there were none.
  static func showDeleted(_ files: [String], asJSON json: Bool, ifNone sentence: String) throws {
    guard !json else { return try Output.json(object: ["files": files]) }
    if files.isEmpty { try Output.line(sentence) }
    for file in files { try Output.line("Deleted \(Output.cell(file))") }
  }
}

/// The systemd units of the current user that sync one vault.
struct ServiceUnits: Sendable {
  /// When the vault is synced.
  enum Mode: String, Hashable, Sendable, Encodable {
    /// A process goes on, and syncs shortly after each change on this machine too.
    case watch
    /// A timer starts a sync at the interval.
    case timer
  }

  /// A file of systemd.
  struct File: Hashable, Sendable {
    let name: String
    let text: String
  }

  let mode: Mode
  let interval: SyncInterval
  /// The absolute path of `coffer-sync`.
  let program: String
  let vault: VaultFolder
  /// Whether commands use the vault without variables of the environment.
  let isUsersOwn: Bool

  /// The common name of the units of a vault: a name such as `coffer-sync` or, for another vault than the user's own,
  /// with a hash of its path.
  static func name(_ name: String = "coffer-sync", of vault: VaultFolder, isUsersOwn: Bool) -> String {
    guard !isUsersOwn else { return name }
    // FNV-1a: it only has to differ between the vaults of one user.
    let hash = vault.path.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    let digits = String(hash, radix: 16)
    return name + "-" + String(repeating: "0", count: 16 - digits.count) + digits
  }

  private var name: String { Self.name(of: vault, isUsersOwn: isUsersOwn) }
  var serviceName: String { name + ".service" }
  var timerName: String { name + ".timer" }

  /// The files, with the enabled unit at the end.
  var files: [File] {
    switch mode {
    case .watch: [File(name: serviceName, text: service)]
    case .timer: [File(name: serviceName, text: service), File(name: timerName, text: timer)]
    }
  }

  /// The line that starts the program.
  var commandLine: String {
    // Nobody reads what a timer's sync prints.
    let options = mode == .watch ? ["--watch", "--interval", interval.description] : [SyncProcess.leaveUnread]
    let arguments = ["sync"] + options + ["--vault", vault.path]
    return Self.commandLine(program, arguments)
  }

  /// Returns the line that starts a program with arguments.
  static func commandLine(_ program: String, _ arguments: [String]) -> String {
    ([quoted(program)] + arguments.map(quotedArgument)).joined(separator: " ")
  }

  /// Returns a line of a crontab that starts a program with arguments at a time: in it, a percent sign is the end of
  /// the command unless it is escaped, also in quotes.
  static func crontabLine(_ time: String, _ program: String, _ arguments: [String]) -> String {
    let words = ([program] + arguments).map(\.exactShellWord).joined(separator: " ")
    return "\(time) \(words.replacing("%", with: "\\%"))"
  }

  static let mark = UserUnits.mark(install: "coffer service install", remove: "coffer service remove")

  private var service: String {
    let isWatch = mode == .watch
    var lines = [
      Self.mark,
      "[Unit]",
      "Description=Coffer: sync of the vault \(Self.escaped(vault.path))",
      // A start that fails is tried again for as long as the user is logged in.
      isWatch ? "StartLimitIntervalSec=0" : nil,
      "",
      "[Service]",
      "Type=\(isWatch ? "exec" : "oneshot")",
      "ExecStart=\(commandLine)",
      isWatch ? "Restart=on-failure" : nil,
      isWatch ? "RestartSec=60" : nil,
      // A wrong command line stays wrong.
      isWatch ? "RestartPreventExitStatus=2" : nil,
      isWatch ? nil : "TimeoutStartSec=3900",
      "TimeoutStopSec=10",
      "KillMode=control-group",
      Self.confinement(addressFamilies: "AF_UNIX AF_INET AF_INET6 AF_NETLINK"),
    ]
    if isWatch { lines += ["", "[Install]", "WantedBy=default.target"] }
    return lines.compactMap(\.self).joined(separator: "\n") + "\n"
  }

  private var timer: String {
    """
    \(Self.mark)
    [Unit]
    Description=Coffer: sync of the vault \(Self.escaped(vault.path)) every \(interval)

    [Timer]
    OnStartupSec=1min
    OnUnitInactiveSec=\(interval.seconds)s
    RandomizedDelaySec=\(interval.seconds / 5)s
    AccuracySec=1s

    [Install]
    WantedBy=timers.target

    """
  }

  /// The lines of a service that take from a program of Coffer what it does not need. `locksMemory` lets it keep keys
  /// in memory that is never written to the disk.
  static func confinement(locksMemory: Bool = false, addressFamilies: String? = nil) -> String {
    """
    UMask=0077
    LimitCORE=0
    \(locksMemory ? "LimitMEMLOCK=64M\n" : "")NoNewPrivileges=yes
    LockPersonality=yes
    RestrictRealtime=yes
    RestrictSUIDSGID=yes
    \(addressFamilies.map { "RestrictAddressFamilies=\($0)\n" } ?? "")SystemCallArchitectures=native
    """
  }

  // MARK: Quotes of systemd

  /// Returns a text in which systemd expands nothing.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "%": result += "%%"
      case "\\": result += "\\\\"
      case _ where scalar.value < 32 || scalar.value == 127:
        let digits = String(scalar.value, radix: 16)
        result += "\\x" + String(repeating: "0", count: 2 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Returns the path of a program for the beginning of a command line, where systemd expands no variable: `$$` would
  /// stay.
  static func quoted(_ word: String) -> String {
    let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./@+=,:".unicodeScalars)
    guard !word.unicodeScalars.allSatisfy(plain.contains) else { return word }
    return "\"\(escaped(word).replacing("\"", with: "\\\""))\""
  }

  /// Returns another word of a command line.
  private static func quotedArgument(_ word: String) -> String { quoted(word).replacing("$", with: "$$") }
}
