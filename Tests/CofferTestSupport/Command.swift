package import Foundation

/// A program run to its end.
package struct Command {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  /// Runs a program from `PATH`; throws, with what it printed, unless it exits with 0.
  ///
  /// - Returns: standard output and standard error together, without the last newline.
  @discardableResult
  package static func run(
    _ arguments: String..., in directory: URL? = nil, environment: [String: String] = [:]
  ) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.currentDirectoryURL = directory
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let pipe = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let text = String(decoding: output, as: UTF8.self).trimmingCharacters(in: .newlines)
    guard process.terminationStatus == 0 else {
      throw Failure(description: "\(arguments.joined(separator: " ")) failed: \(text)")
    }
    return text
  }
}
