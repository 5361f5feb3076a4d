package import CofferPlatform
package import CofferSystem
package import CofferVault

/// A running `coffer-sync`, without this program's terminal, of which ssh could ask something.
///
/// It leads a process group of its own, so a Ctrl-C at this program's terminal does not reach it.
package final class SyncProcess: Sendable {
  /// How a run ended.
  package struct Outcome: Sendable {
    package let exit: ChildProcess.Exit
    /// Its standard output, at most 16 MiB.
    package let output: [UInt8]
    /// Whether ``SyncProcess/cancel()`` was called before it had ended.
    package let isCancelled: Bool
  }

  /// The name of the program.
  package static let program = "coffer-sync"

  /// How long the program may take to end after a cancellation, which it does within a moment, before it is killed.
  package static let cancellationTimeout = Duration.seconds(5)
  private static let maximumOutputByteCount = 16 << 20
  private static let maximumLineByteCount = 1 << 16

  private static let maximumMessageCount = 1_000

  private let arguments: [String]
  private let wake: DescriptorPair

  private init(_ arguments: [String], wake: consuming DescriptorPair) {
    self.arguments = arguments
    self.wake = wake
  }

  /// Prepares a run of `coffer-sync` with arguments. The program starts with ``run(_:)``.
  package static func prepare(_ arguments: [String]) throws(VaultError) -> SyncProcess {
    do throws(SystemError) {
      return SyncProcess(arguments, wake: try Descriptor.socketPair())
    } catch {
      throw SiblingProgram.startFailure(program, error)
    }
  }

  /// Runs `coffer-sync` to its end, and returns its standard output. Throws ``SyncFailure`` with its messages if it
  /// fails.
  package static func output(of arguments: [String]) throws -> Data {
    var messages: [String] = []
    let outcome = try prepare(arguments).run { line in
      if messages.count < maximumMessageCount { messages.append(line) }
    }
    return try SyncFailure.check(outcome.exit, output: Data(outcome.output), messages: messages)
  }

  /// Ends the run: the program gets SIGINT, as by Ctrl-C, and is killed if it has not ended after
  /// ``cancellationTimeout``. Can be called from any thread, and before the run.
  package func cancel() {
    _ = unsafe withUnsafeBytes(of: UInt8(1)) { unsafe Descriptor.send($0, to: wake.theirs.rawValue) }
  }

  /// Starts the program and waits for its end. Call it once. `body` receives each line that the program prints on
  /// standard error. No process is left.
  package func run(_ body: (String) -> Void) throws(VaultError) -> Outcome {
    let path = try SiblingProgram.locate(Self.program)
    do throws(SystemError) {
      let errors = try Descriptor.pipe()
      let output = try Descriptor.pipe()
      let child = try ChildProcess.start(
        path, arguments: arguments, input: .null,
        output: .descriptor(output.theirs.rawValue),
        errors: .descriptor(errors.theirs.rawValue), leadsProcessGroup: true)
      return follow(child, output: output.closeTheirs(), errors: errors.closeTheirs(), body)
    } catch {
      throw SiblingProgram.startFailure(path, error)
    }
  }

  private func follow(
    _ child: ChildProcess, output: borrowing Descriptor, errors: borrowing Descriptor, _ body: (String) -> Void
  ) -> Outcome {
    var bytes: [UInt8] = []
    var lines = LineSplitter(maximumByteCount: Self.maximumLineByteCount)
    var (outputIsOpen, errorsAreOpen) = (true, true)
    var killTime: ContinuousClock.Instant?
    while outputIsOpen || errorsAreOpen || child.poll() == nil {
      if let killTime, .now >= killTime {
        // Whoever else holds the pipes is not waited for.
        child.terminate()
        break
      }
      var descriptors = [
        pollfd(fd: outputIsOpen ? output.rawValue : -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: errorsAreOpen ? errors.rawValue : -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: killTime == nil ? wake.ours.rawValue : -1, events: Int16(POLLIN), revents: 0),
      ]
      // A program that has closed both ends within a moment.
      let mayRest = killTime == nil && (outputIsOpen || errorsAreOpen)
      guard unsafe poll(&descriptors, nfds_t(descriptors.count), mayRest ? -1 : 20) > 0 else { continue }
      if descriptors[2].revents != 0 {
        child.send(signal: SIGINT)
        killTime = .now + Self.cancellationTimeout
      }
      if descriptors[0].revents != 0 {
        outputIsOpen = Self.read(output) { bytes += $0.prefix(Self.maximumOutputByteCount - bytes.count) }
      }
      if descriptors[1].revents != 0 { errorsAreOpen = Self.read(errors) { lines.add($0, body) } }
    }
    lines.finish(body)
    return Outcome(exit: child.wait(), output: bytes, isCancelled: killTime != nil)
  }

  /// Reads what has arrived. Returns false at the end.
  private static func read(_ descriptor: borrowing Descriptor, _ body: (ArraySlice<UInt8>) -> Void) -> Bool {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe systemRead(descriptor.rawValue, &chunk, chunk.count)
    if count < 0 { return errno == EINTR }
    body(chunk[..<count])
    return count > 0
  }
}

// Outside of SyncProcess, whose `read` would hide the system's.

private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
  unsafe read(descriptor, bytes, count)
}

extension SyncProcess {
  /// The option of a sync that leaves its problems unread, because perhaps nobody reads them.
  package static let leaveUnread = "--leave-unread"

  /// Prepares a sync, which leaves its problems unread. With `showsProgress`, ``sync(progress:message:)`` receives how
  /// far it is.
  package static func prepareSync(of folder: VaultFolder, showsProgress: Bool) throws(VaultError) -> SyncProcess {
    try prepare(["sync", "--json", leaveUnread, "--vault", folder.path] + (showsProgress ? ["--progress"] : []))
  }

  /// Runs the sync and waits for its end. Call it once. `progress` receives how far it is, and `message` each line for
  /// people. The sync may have been done before a cancellation came. Throws `cancelled`, what the sync throws, and `io`
  /// if the program ends without a report.
  package func sync(
    progress: (SyncStep) -> Void, message: (String) -> Void = { _ in }
  ) throws(VaultError) -> SyncReport {
    var last: String?
    let outcome = try run { line in
      if line.hasPrefix("{"), let step = try? JSONDecoder().decode(SyncStep.self, from: Data(line.utf8)) {
        progress(step)
      } else {
        last = line
        message(line)
      }
    }
    let output = Data(outcome.output)
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    if let report = try? decoder.decode(SyncReport.self, from: output) { return report }
    if outcome.isCancelled { throw .cancelledSync }
    if let failure = try? JSONDecoder().decode(SyncError.self, from: output) { throw failure.error.error }
    let end =
      switch outcome.exit {
      case .code(let code): "ended with exit code \(code)"
      case .signal(let number): "was ended by signal \(number)"
      case .unknown: "ended"
      }
    throw VaultError(
      .io, "coffer-sync \(end) without a report\(last.map { ": \($0.sanitizedForTerminal(limit: 400))" } ?? "")",
      recoverySuggestion: "install the version of coffer-sync that belongs to this version of Coffer, and try again")
  }
}

extension VaultError {
  /// The error of a sync that was cancelled.
  package static var cancelledSync: VaultError {
    VaultError(
      .cancelled, "the sync was cancelled", recoverySuggestion: "sync again: what has arrived is kept")
  }
}

/// A failure of `coffer-sync`, which has said why.
package struct SyncFailure: Error {
  package let exitCode: Int32
  /// Its standard output: a report if it finished the sync nevertheless, else empty.
  package let output: Data
  /// What it has printed on standard error; empty if that was this program's.
  package let messages: String

  /// Returns the output of `coffer-sync` if it has succeeded. Throws a ``SyncFailure`` if it has failed, and `io` if it
  /// was ended by a signal.
  package static func check(_ exit: ChildProcess.Exit, output: Data, messages: [String] = []) throws -> Data {
    switch exit {
    case .code(0): return output
    case .code(let code):
      throw SyncFailure(exitCode: code, output: output, messages: messages.joined(separator: "\n"))
    case .signal(let number):
      throw VaultError(.io, "coffer-sync was ended by signal \(number)", recoverySuggestion: "try again")
    case .unknown: throw VaultError(.io, "the exit code of coffer-sync is unknown", recoverySuggestion: "try again")
    }
  }
}
