internal import CTestProcesses
import Foundation

#if canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#else
  private import Darwin
#endif

/// A running child process. Replaces Foundation's `Process`, which on Linux assumes that a child has ended when it
/// closes the descriptors it inherited, as sshd does, and then blocks every other `Process` until it has.
package final class SpawnedProgram {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
  }

  package let identifier: Int32
  private var status: Int32?

  /// Starts a program, by path or from `PATH`. It ignores and blocks no signal, whatever this thread and the one who
  /// started the tests do.
  ///
  /// - Parameters:
  ///   - arguments: The program and its arguments.
  ///   - input: The file for standard input.
  ///   - inputDescriptor: The descriptor for standard input, in place of the file.
  ///   - output: The descriptor for standard output and standard error; if nil, both are discarded.
  ///   - errors: A separate descriptor for standard error.
  ///   - directory: The working directory; if nil, that of this process.
  ///   - environment: Variables that are added to the environment of this process.
  ///   - isWholeEnvironment: Whether `environment` replaces the environment of this process.
  /// - Throws: ``Failure`` if the program cannot be started.
  package init(
    _ arguments: [String], input: String = "/dev/null", inputDescriptor: Int32? = nil, output: Int32? = nil,
    errors: Int32? = nil, in directory: String? = nil, environment: [String: String] = [:],
    isWholeEnvironment: Bool = false
  ) throws {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = unsafe posix_spawn_file_actions_t()
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    if let inputDescriptor {
      unsafe posix_spawn_file_actions_adddup2(&actions, inputDescriptor, 0)
    } else {
      unsafe posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
    }
    for (stream, target) in [(Int32(1), output), (2, errors ?? output)] {
      if let target {
        unsafe posix_spawn_file_actions_adddup2(&actions, target, stream)
      } else {
        unsafe posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0)
      }
    }
    // A program that reads a pipe to its end waits for every process that has inherited the other end. Foundation's
    // pipes are inherited.
    unsafe coffer_test_withhold_descriptors(&actions)
    // There is no portable way to give posix_spawn a working directory.
    let whole = directory.map { ["sh", "-c", "cd \"$1\" && shift && exec \"$@\"", "sh", $0] + arguments } ?? arguments
    let inherited = isWholeEnvironment ? [:] : ProcessInfo.processInfo.environment
    let variables = inherited.merging(environment) { $1 }.map { "\($0)=\($1)" }
    var words = unsafe whole.map { unsafe strdup($0) } + [nil]
    var settings = unsafe variables.map { unsafe strdup($0) } + [nil]
    defer { unsafe (words + settings).forEach { unsafe free($0) } }
    #if canImport(Darwin)
      var attributes: posix_spawnattr_t?
    #else
      var attributes = posix_spawnattr_t()
    #endif
    var signals = sigset_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    unsafe sigfillset(&signals)
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK))
    var identifier: pid_t = 0
    let result = unsafe posix_spawnp(&identifier, whole[0], &actions, &attributes, &words, &settings)
    guard result == 0 else {
      throw Failure(description: "cannot start \(arguments[0]): \(unsafe String(cString: strerror(result)))")
    }
    self.identifier = identifier
  }

  deinit {
    if status == nil { end() }
  }

  /// Waits for the end. After ``longestRun`` it kills the program with everything that the program has started. Returns
  /// the exit code, or the signal's number negated.
  @discardableResult
  package func wait() -> Int32 {
    if status == nil, coffer_test_await_end(identifier, Int32(longestRun.components.seconds) * 1_000) == 0 {
      killWithDescendants()
    }
    return wait(options: 0) ?? 0
  }

  package var isRunning: Bool { wait(options: WNOHANG) == nil }

  /// Waits for the end, at most ``longestWait``. Returns whether the program has ended.
  package func waitForEnd() -> Bool {
    status != nil || coffer_test_await_end(identifier, Int32(longestWait.components.seconds) * 1_000) != 0
  }

  /// Ends the program with `signal` and reaps it; kills it if it has not ended after ``longestWait``. Can be called
  /// repeatedly.
  package func end(signal: Int32 = SIGTERM) {
    guard isRunning else { return }
    _ = kill(identifier, signal)
    if !waitForEnd() { _ = kill(identifier, SIGKILL) }
    wait()
  }

  /// Kills the program and everything that it has started and that still runs, as the loss of its machine does. Can be
  /// called repeatedly.
  package func killWithDescendants() {
    guard isRunning else { return }
    var stopped: [pid_t] = []
    var found = [identifier]
    // What is stopped starts nothing else while the others are looked for.
    while !found.isEmpty {
      for process in found { _ = kill(process, SIGSTOP) }
      stopped += found
      let parents = ProcessParents.all()
      found = parents.filter { stopped.contains($0.value) && !stopped.contains($0.key) }.map(\.key)
    }
    for process in stopped { _ = kill(process, SIGKILL) }
    _ = wait(options: 0)
    for process in stopped.dropFirst() { _ = CofferTestSupport.waitForEnd(ofProcess: process) }
  }

  private func wait(options: Int32) -> Int32? {
    if let status { return status }
    var raw: Int32 = 0
    var result: pid_t
    repeat { result = unsafe waitpid(identifier, &raw, options) } while result == -1 && errno == EINTR
    guard result != 0 else { return nil }
    status = raw & 0x7f == 0 ? (raw >> 8) & 0xff : -(raw & 0x7f)
    return status
  }
}
