internal import CofferPlatform
internal import CofferSystem

/// A running ssh or git whose standard streams are connected to this process. It is killed and reaped when the object
/// is destroyed.
final class TransportProcess {
  /// This end of the child's standard output.
  let output: Descriptor
  /// This end of the child's standard error.
  let errors: Descriptor
  private var input: Descriptor?
  private let process: ChildProcess

  private init(
    _ process: ChildProcess, input: consuming Descriptor, output: consuming Descriptor, errors: consuming Descriptor
  ) {
    self.process = process
    self.input = .some(input)
    self.output = output
    self.errors = errors
  }

  /// Starts a program, which also ends when this process is killed: a silent server would keep it waiting for ever. The
  /// thread that starts it must live as long as the transfer, which it does as it waits for it. With `keepsTerminal`,
  /// the child stays in this process's group, so that it can prompt on the terminal. Otherwise it leads a group, which
  /// ``terminate()`` kills as a whole.
  static func start(_ command: [String], keepsTerminal: Bool, context: String) throws(GitError) -> TransportProcess {
    let program = command.first ?? ""
    do throws(SystemError) {
      let input = try Descriptor.socketPair()
      let output = try Descriptor.socketPair()
      let errors = try Descriptor.socketPair()
      let process = try ChildProcess.start(
        program, arguments: Array(command.dropFirst()), searchesPath: true, environment: environment,
        input: .descriptor(input.theirs.rawValue), output: .descriptor(output.theirs.rawValue),
        errors: .descriptor(errors.theirs.rawValue), leadsProcessGroup: !keepsTerminal, endsWithThread: true)
      return TransportProcess(
        process, input: input.closeTheirs(), output: output.closeTheirs(), errors: errors.closeTheirs())
    } catch {
      if error.isNotFound {
        throw GitError(.missingProgram, "\(program) is not installed, or not in PATH", context: context)
      }
      throw GitError(error, context: context)
    }
  }

  /// How the child ended, or nil as long as ``poll()`` and ``terminate()`` have not found that it has.
  var exit: ChildProcess.Exit? { process.exit }

  /// The descriptor from which the child reads, or -1 after ``closeInput()``.
  var inputNumber: Int32 { input?.rawValue ?? -1 }

  /// Closes the child's standard input.
  func closeInput() { input = nil }

  /// Checks whether the child has ended, without waiting.
  func poll() -> ChildProcess.Exit? { process.poll() }

  /// Kills the child at once, with its own children if it leads a process group, and reaps it.
  func terminate() { process.terminate() }

  /// Whether ssh can prompt: a terminal exists, and this process is in its foreground. A child that reads the terminal
  /// from the background would be stopped for ever.
  static var canPrompt: Bool {
    let number = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard number >= 0 else { return false }
    let terminal = Descriptor(owning: number)
    return tcgetpgrp(terminal.rawValue) == getpgrp()
  }

  /// This process's environment without the variables that would direct git to another repository, change its protocol
  /// or add to its output. Messages are in English, because errors are recognised by them.
  ///
  /// A child of a process with elevated privileges gets none of this process's variables.
  private static var environment: [String: String] {
    let kept: Set = ["GIT_EXEC_PATH", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"]
    var environment = CurrentProcess.environment.filter { name, _ in
      !name.hasPrefix("GIT_") || kept.contains(name)
    }
    if CurrentProcess.hasElevatedPrivileges { environment["PATH"] = "/usr/bin:/bin" }
    environment["LC_ALL"] = "C"
    return environment
  }
}
