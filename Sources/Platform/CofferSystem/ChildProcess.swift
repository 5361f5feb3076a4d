internal import CPlatform
internal import CofferPlatform

/// A running program that this process started.
///
/// The object owns the process identifier: it alone waits for the child, and it ends and reaps a child that still runs
/// when the object is destroyed, so no zombie remains.
///
/// Not Foundation's `Process`: on Linux that detects the end of a child by a descriptor that every descendant inherits,
/// and mistakes a descendant that closes it, as ssh's background master does, for the end of the child.
package final class ChildProcess {
  /// The file or device that becomes one of a child's standard streams.
  package enum StandardStream: Hashable, Sendable {
    /// `/dev/null`.
    case null
    /// An open descriptor of this process, which remains open here.
    case descriptor(Int32)
    /// The same stream of this process.
    case inherited
  }

  /// How a child ended.
  package enum Exit: Hashable, Sendable {
    case code(Int32)
    /// The child was killed by the signal of this number.
    case signal(Int32)
    /// Other code in this process reaped the child, or the process ignores SIGCHLD.
    case unknown

    /// Reads what `waitpid` says.
    init(status: Int32) {
      let signal = status & 0x7f
      self = signal == 0 ? .code((status >> 8) & 0xff) : .signal(signal)
    }
  }

  /// How the child ended, or nil as long as no call has found that it has.
  package private(set) var exit: Exit?

  private let identifier: pid_t
  private let leadsProcessGroup: Bool

  private init(identifier: pid_t, leadsProcessGroup: Bool) {
    self.identifier = identifier
    self.leadsProcessGroup = leadsProcessGroup
  }

  deinit { terminate() }

  /// Starts a program, without a shell. Throws an error whose `isNotFound` is true if it does not exist.
  ///
  /// The child starts with no blocked signals and with the default action of every signal, and with no open descriptors
  /// of this process but its standard streams and those that are not close-on-exec. Its environment is that of this
  /// process unless `environment` has all variables. With `searchesPath`, a name without a slash is looked up in
  /// `PATH`.
  ///
  /// The child of a setgid program does not have its group.
  ///
  /// With `leadsProcessGroup`, the child leads a new process group, which ``terminate()`` ends as a whole, and cannot
  /// read the terminal.
  ///
  /// With `endsWithThread`, SIGTERM ends the child when the thread that started it ends, also if this process is
  /// killed. Its own children do not inherit that, nor does a program that gains privileges when it starts. A script
  /// must name its interpreter, or `/bin/sh` runs it. On Linux only; elsewhere it has no effect. All three streams must
  /// be descriptors.
  ///
  /// With `file`, that file is started, and `program` is only what it is told as its own name.
  package static func start(
    _ program: String, file: String? = nil, arguments: [String] = [], searchesPath: Bool = false,
    environment: [String: String]? = nil,
    input: StandardStream = .inherited, output: StandardStream = .inherited, errors: StandardStream = .inherited,
    leadsProcessGroup: Bool = false, endsWithThread: Bool = false
  ) throws(SystemError) -> ChildProcess {
    let action = "cannot start \(program)"
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

    var copies: [Int32] = []
    defer { for copy in copies { _ = close(copy) } }
    for (number, stream) in [(STDIN_FILENO, input), (STDOUT_FILENO, output), (STDERR_FILENO, errors)] {
      switch stream {
      case .null:
        let mode = number == STDIN_FILENO ? O_RDONLY : O_WRONLY
        unsafe posix_spawn_file_actions_addopen(&actions, number, "/dev/null", mode, 0)
      case .descriptor(let descriptor):
        // A descriptor that is itself a standard stream could be replaced before it is copied.
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
        guard copy >= 0 else { throw SystemError(errno, action) }
        copies.append(copy)
        // The copy onto a standard stream is not close-on-exec.
        unsafe posix_spawn_file_actions_adddup2(&actions, copy, number)
      case .inherited:
        #if canImport(Darwin)
          unsafe posix_spawn_file_actions_addinherit_np(&actions, number)
        #endif
      }
    }

    var flags = Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK)
    if leadsProcessGroup { flags |= Int32(POSIX_SPAWN_SETPGROUP) }
    // What a setgid program starts must not be able to read what only that program may.
    if CurrentProcess.additionalGroup != nil { flags |= Int32(POSIX_SPAWN_RESETIDS) }
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

    let spawn = unsafe searchesPath ? posix_spawnp : posix_spawn
    let file = file ?? program
    var identifier: pid_t = 0
    let number = unsafe withCStrings([program] + arguments) { words in
      #if os(Linux)
        // posix_spawn cannot ask for that.
        if endsWithThread {
          precondition(copies.count == 3, "each stream is a descriptor")
          return unsafe withCStrings((environment ?? CurrentProcess.environment).map { "\($0)=\($1)" }) { variables in
            unsafe coffer_start_bound(
              &identifier, file, words, variables, copies, searchesPath ? 1 : 0, leadsProcessGroup ? 1 : 0)
          }
        }
      #endif
      guard let environment else {
        return unsafe spawn(&identifier, file, &actions, &attributes, words, coffer_environment())
      }
      return unsafe withCStrings(environment.map { "\($0)=\($1)" }) { variables in
        unsafe spawn(&identifier, file, &actions, &attributes, words, variables)
      }
    }
    try SystemError.check(number, action)
    return ChildProcess(identifier: identifier, leadsProcessGroup: leadsProcessGroup)
  }

  /// Runs a program with at most 64 KiB or nothing on its standard input and this process's standard error, and waits
  /// for its end. `PATH` is not searched.
  ///
  /// A signal that would end this process is passed on to the program, which may need a moment to end. If it has done
  /// its work all the same, the signal ends this process afterwards. Only one program can run like this at a time.
  package static func run(
    _ path: String, arguments: [String], input: [UInt8]? = nil, maximumOutputByteCount: Int
  ) throws(SystemError) -> (exit: Exit, output: [UInt8]) {
    guard let input else {
      return try run(
        path, arguments: arguments, input: .null, errors: .inherited, maximumOutputByteCount: maximumOutputByteCount)
    }
    let pipe = try Descriptor.pipe()
    let source = try Descriptor.socketPair()
    let signals = PassedSignals.begin()
    let child = try start(
      path, arguments: arguments, input: .descriptor(source.theirs.rawValue), output: .descriptor(pipe.theirs.rawValue))
    signals.pass(to: child.identifier)
    do {
      // Its end is the end of the child's input.
      let end = source.closeTheirs()
      unsafe input.withUnsafeBytes { unsafe end.sendAll($0) }
    }
    return finish(child, pipe.closeTheirs(), signals, maximumOutputByteCount)
  }

  /// Runs a program with other standard streams than this process has, and waits for its end, as
  /// ``run(_:arguments:input:maximumOutputByteCount:)`` does.
  package static func run(
    _ path: String, arguments: [String], input: StandardStream, errors: StandardStream, maximumOutputByteCount: Int
  ) throws(SystemError) -> (exit: Exit, output: [UInt8]) {
    let pipe = try Descriptor.pipe()
    let signals = PassedSignals.begin()
    let child = try start(
      path, arguments: arguments, input: input, output: .descriptor(pipe.theirs.rawValue), errors: errors)
    signals.pass(to: child.identifier)
    return finish(child, pipe.closeTheirs(), signals, maximumOutputByteCount)
  }

  private static func finish(
    _ child: ChildProcess, _ output: borrowing Descriptor, _ signals: consuming PassedSignals, _ limit: Int
  ) -> (exit: Exit, output: [UInt8]) {
    let output = output.readToEnd(maximumByteCount: limit)
    child.awaitEnd()
    let number = signals.end()
    let exit = child.wait()
    if let number, exit == .code(0) { raise(number) }
    return (exit, output)
  }

  /// Returns how the child has ended, without waiting, or nil if it still runs.
  @discardableResult
  package func poll() -> Exit? {
    exit ?? reap(options: WNOHANG)
  }

  @discardableResult
  package func wait() -> Exit {
    exit ?? reap(options: 0) ?? .unknown
  }

  /// Waits until the child has ended, or for a limited time, in steps of 20 milliseconds. Returns nil if it still runs.
  @discardableResult
  package func wait(timeout: Duration) -> Exit? {
    let deadline = ContinuousClock.now + timeout
    while poll() == nil, ContinuousClock.now < deadline { usleep(20_000) }
    return exit
  }

  /// Sends the child a signal. Does nothing if it has ended.
  package func send(signal number: Int32) {
    // Until the child is reaped, its identifier cannot be given to another process.
    if poll() == nil { _ = kill(identifier, number) }
  }

  /// Kills the child at once, with all of its process group if it leads one, and reaps it. Does nothing if it has
  /// ended.
  package func terminate() {
    guard exit == nil else { return }
    if !leadsProcessGroup || kill(-identifier, SIGKILL) != 0 { _ = kill(identifier, SIGKILL) }
    wait()
  }

  /// Waits until the child has ended, and does not reap it: its identifier stays its own.
  private func awaitEnd() {
    guard exit == nil else { return }
    var info = unsafe siginfo_t()
    while unsafe waitid(P_PID, id_t(identifier), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
  }

  private func reap(options: Int32) -> Exit? {
    var status: Int32 = 0
    var result: pid_t
    repeat { result = unsafe waitpid(identifier, &status, options) } while result == -1 && errno == EINTR
    if result == -1 {
      exit = .unknown
    } else if result == identifier {
      exit = Exit(status: status)
    }
    return exit
  }
}

/// Passes signals that would end this process on to a child, which does the work: SIGINT, SIGTERM, SIGHUP and SIGQUIT.
/// The terminal sends Ctrl-C to both, but another program may know this process only.
struct PassedSignals: ~Copyable {
  private init() {}

  /// Takes the signals. A signal that comes before the child is known is passed on by ``pass(to:)``.
  static func begin() -> PassedSignals {
    coffer_begin_passing_signals()
    return PassedSignals()
  }

  func pass(to process: pid_t) { coffer_pass_signals(process) }

  /// Ends it. The identifier of the child must not have become free before. Returns the number of the last signal that
  /// came.
  consuming func end() -> Int32? {
    let number = coffer_end_passing_signals()
    discard self
    return number == 0 ? nil : number
  }

  deinit { _ = coffer_end_passing_signals() }
}

/// Calls `body` with an array of C strings that ends with a null pointer, as `execv` and `posix_spawn` expect it.
func withCStrings<Result>(
  _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  var pointers = unsafe strings.map { unsafe strdup($0) } + [nil]
  defer { unsafe pointers.forEach { unsafe free($0) } }
  return unsafe pointers.withUnsafeMutableBufferPointer { buffer in
    guard let start = buffer.baseAddress else { preconditionFailure("an array with a null pointer is not empty") }
    return unsafe body(start)
  }
}
