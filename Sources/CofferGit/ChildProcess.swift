#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

#if canImport(FoundationEssentials)
  private import FoundationEssentials
#else
  private import Foundation
#endif

/// A running program whose standard streams are ours. Whoever drops it ends and reaps it: no zombie stays.
final class ChildProcess {
  /// How a child ended.
  enum Exit: Hashable {
    case code(Int32)
    case signal(Int32)
    /// Somebody else reaped it.
    case unknown
  }

  let output: Descriptor
  let errors: Descriptor
  private var input: Descriptor?
  private(set) var exit: Exit?
  private let identifier: pid_t
  private let isGroupLeader: Bool

  /// Starts a program without a shell.
  ///
  /// - Parameters:
  ///   - arguments: the first names the program, by path or in `PATH`.
  ///   - keepsTerminal: leaves the child in our process group, so that it may ask at the terminal; otherwise it
  ///     leads its own, and is ended together with its children.
  init(_ arguments: [String], keepsTerminal: Bool, context: String) throws(GitError) {
    let program = arguments.first ?? ""
    let input = try Descriptor.pair(context: context)
    let output = try Descriptor.pair(context: context)
    let errors = try Descriptor.pair(context: context)

    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = unsafe posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawnattr_init(&attributes)
    defer {
      unsafe posix_spawn_file_actions_destroy(&actions)
      unsafe posix_spawnattr_destroy(&attributes)
    }
    // dup2 onto the standard streams clears close-on-exec; all our other descriptors keep it.
    unsafe posix_spawn_file_actions_adddup2(&actions, input.theirs.rawValue, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, output.theirs.rawValue, 1)
    unsafe posix_spawn_file_actions_adddup2(&actions, errors.theirs.rawValue, 2)

    var flags = Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK)
    if !keepsTerminal { flags |= Int32(POSIX_SPAWN_SETPGROUP) }
    #if canImport(Darwin)
      flags |= Int32(POSIX_SPAWN_CLOEXEC_DEFAULT)
    #endif
    var noSignals = sigset_t()
    var allSignals = sigset_t()
    unsafe sigemptyset(&noSignals)
    unsafe sigfillset(&allSignals)
    unsafe posix_spawnattr_setsigmask(&attributes, &noSignals)
    unsafe posix_spawnattr_setsigdefault(&attributes, &allSignals)
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
    unsafe posix_spawnattr_setpgroup(&attributes, 0)

    var identifier: pid_t = 0
    let failure = unsafe Self.withCStrings(arguments) { arguments in
      unsafe Self.withCStrings(Self.environment()) { environment in
        unsafe posix_spawnp(&identifier, program, &actions, &attributes, arguments, environment)
      }
    }
    if failure == ENOENT {
      throw GitError(.missingProgram, "\(program) is not installed, or not in PATH", context: context)
    }
    guard failure == 0 else { throw .system(failure, "cannot start \(program)", context: context) }

    self.identifier = identifier
    self.isGroupLeader = !keepsTerminal
    self.input = .some(input.ours)
    self.output = output.ours
    self.errors = errors.ours
  }

  deinit { terminate() }

  /// Where to send what the child reads; -1 once it is closed.
  var inputNumber: Int32 { input?.rawValue ?? -1 }

  /// Tells the child that nothing more will come.
  func closeInput() { input = nil }

  /// Asks the kernel whether the child has ended. Does not wait.
  func poll() -> Exit? {
    reap(options: WNOHANG)
    return exit
  }

  /// Ends the child at once, with its own children where it leads its group, and reaps it.
  func terminate() {
    guard exit == nil else { return }
    // Until it is reaped, its number cannot be given to another process.
    if !isGroupLeader || kill(-identifier, SIGKILL) != 0 { _ = kill(identifier, SIGKILL) }
    reap(options: 0)
  }

  private func reap(options: Int32) {
    guard exit == nil else { return }
    var status: Int32 = 0
    var result: pid_t
    repeat { result = unsafe waitpid(identifier, &status, options) } while result == -1 && errno == EINTR
    if result == -1 {
      exit = .unknown
    } else if result == identifier {
      let signal = status & 0x7f
      exit = signal == 0 ? .code((status >> 8) & 0xff) : .signal(signal)
    }
  }

  /// Whether ssh could ask something: there is a terminal, and we are in its foreground. A child that reads the
  /// terminal from the background would be stopped for ever.
  static func hasForegroundTerminal() -> Bool {
    let number = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard number >= 0 else { return false }
    let terminal = Descriptor(owning: number)
    return tcgetpgrp(terminal.rawValue) == getpgrp()
  }

  /// Ours, without what would point git at another repository, turn its protocol or add to its output, and
  /// with messages in English, because errors are told apart by them.
  private static func environment() -> [String] {
    let kept: Set = ["GIT_EXEC_PATH", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"]
    var environment = ProcessInfo.processInfo.environment.filter { name, _ in
      !name.hasPrefix("GIT_") || kept.contains(name)
    }
    environment["LC_ALL"] = "C"
    return environment.map { "\($0)=\($1)" }
  }

  private static func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    var pointers = unsafe strings.map { unsafe strdup($0) } + [nil]
    defer { unsafe pointers.forEach { unsafe free($0) } }
    return unsafe pointers.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { preconditionFailure("an array with a nil at its end is not empty") }
      return unsafe body(UnsafePointer(base))
    }
  }
}
