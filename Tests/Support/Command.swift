package import Foundation

#if canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#else
  private import Darwin
#endif

/// Runs programs to their end.
package enum Command {
  /// Runs a program from `PATH`; throws an error with its output unless it exits with 0.
  ///
  /// - Returns: Standard output and standard error together, without the last newline.
  @discardableResult
  package static func run(
    _ arguments: String..., in directory: URL? = nil, environment: [String: String] = [:]
  ) throws -> String {
    try run(arguments: arguments, in: directory, environment: environment)
  }

  /// Runs a program from `PATH` with arguments in a list.
  @discardableResult
  package static func run(
    arguments: [String], in directory: URL? = nil, environment: [String: String] = [:]
  ) throws -> String {
    // A file instead of a pipe: a program that a command leaves running must not delay the return.
    let file = try TemporaryDirectory()
    let path = file.path("output")
    let output = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    defer { close(output) }
    let program = try SpawnedProgram(arguments, output: output, in: directory?.path, environment: environment)
    let status = program.wait()
    let text = try String(decoding: Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
      .trimmingCharacters(in: .newlines)
    guard status == 0 else {
      throw SpawnedProgram.Failure(description: "\(arguments.joined(separator: " ")) failed (\(status)): \(text)")
    }
    return text
  }
}
