package import Foundation
private import Synchronization

/// A program under test that has been started.
package final class RunningProgram {
  private let name: String
  private let program: SpawnedProgram
  private let output: URL
  private let errors: URL

  /// Output is written to files: a pipe that nobody reads would block a program that prints much.
  init(command: [String], input: Data, environment: [String: String], scratch: TemporaryDirectory) throws {
    name = command.joined(separator: " ")
    let id = UUID().uuidString
    output = URL(fileURLWithPath: scratch.path("\(id).out"))
    errors = URL(fileURLWithPath: scratch.path("\(id).err"))
    let source = URL(fileURLWithPath: scratch.path("\(id).in"))
    for (file, content) in [(output, Data()), (errors, Data()), (source, input)] { try content.write(to: file) }
    let outputHandle = try FileHandle(forWritingTo: output)
    let errorHandle = try FileHandle(forWritingTo: errors)
    program = try SpawnedProgram(
      command, input: source.path, output: outputHandle.fileDescriptor, errors: errorHandle.fileDescriptor,
      environment: environment, isWholeEnvironment: true)
    try outputHandle.close()
    try errorHandle.close()
    try FileManager.default.removeItem(at: source)
  }

  package var processIdentifier: Int32 { program.identifier }
  package var isRunning: Bool { program.isRunning }

  /// Returns the standard output so far.
  package func outputSoFar() throws -> Data { try Data(contentsOf: output) }

  /// Returns the standard error so far.
  package func errorsSoFar() throws -> String { String(decoding: try Data(contentsOf: errors), as: UTF8.self) }

  /// Kills the program, as a crash or a power failure would.
  package func kill() { program.end(signal: 9) }

  /// Kills the program when this process ends. For an object that a static property holds, which is never released.
  package func killAtExit() {
    let isFirst = Self.programsUntilExit.withLock { programs in
      programs.append(processIdentifier)
      return programs.count == 1
    }
    guard isFirst else { return }
    atexit {
      for program in RunningProgram.programsUntilExit.withLock({ $0 }) { _ = Foundation.kill(program, SIGKILL) }
    }
  }

  private static let programsUntilExit = Mutex<[Int32]>([])

  /// Waits for the program's end.
  ///
  /// - Returns: The exit code and the output.
  /// - Throws: ``SpawnedProgram/Failure`` if the program does not end within ``longestWait``. It is killed then.
  package func wait() throws -> Machine.Outcome {
    guard program.waitForEnd() else {
      kill()
      let texts = try [output, errors].map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
      throw SpawnedProgram.Failure(description: "\(name) has not ended; it has printed: \(texts)")
    }
    let status = program.wait()
    defer {
      for file in [output, errors] { try? FileManager.default.removeItem(at: file) }
    }
    return Machine.Outcome(
      exitCode: status >= 0 ? status : nil, output: try Data(contentsOf: output),
      errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self), signal: status < 0 ? -status : nil)
  }
}
