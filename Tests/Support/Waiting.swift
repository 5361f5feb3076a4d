internal import CTestProcesses
import Foundation

/// How long a test waits for an event before it fails. It only bounds a failure: a busy machine may need a minute for
/// what takes a moment.
package let longestWait = Duration.seconds(300)

/// How long a test waits for a program that may take longer than ``longestWait``, before it kills the program. The
/// tests in the browser take 13 minutes beside other tests.
package let longestRun = Duration.seconds(1_500)

/// Waits until a condition holds.
///
/// - Parameters:
///   - event: What is awaited, for the message of a failure.
///   - condition: Asked a hundred times a second, and after a fifth of a second less often: a question may start a
///     program. The wait becomes a twentieth longer by that at most.
/// - Throws: The error of `condition`, or ``SpawnedProgram/Failure`` after ``longestWait``.
package func waitUntil(_ event: String, _ condition: () throws -> Bool) throws {
  let start = ContinuousClock.now
  while try !condition() {
    let waited = ContinuousClock.now - start
    guard waited < longestWait else {
      throw SpawnedProgram.Failure(description: "waited in vain until \(event)")
    }
    Thread.sleep(forTimeInterval: max(0.01, waited / .seconds(20)))
  }
}

/// Waits until a file exists that another program writes, and returns its content. The program writes it under another
/// name and renames it, so that nobody reads a part of it.
package func waitForFile(_ path: String) throws -> String {
  try waitUntil("\(path) exists") { FileManager.default.fileExists(atPath: path) }
  return try String(contentsOfFile: path, encoding: .utf8)
}

/// Returns whether a process that is no child of this one ends, or waits only to be reaped by its parent. The kernel
/// needs a moment to end a process that was killed.
package func waitForEnd(ofProcess identifier: Int32) -> Bool {
  let answer = coffer_test_await_end_of_other(identifier, Int32(longestWait.components.seconds) * 1_000)
  guard answer < 0 else { return answer > 0 }
  // The system cannot wait for a process of others.
  func isRunning() -> Bool {
    guard let data = FileManager.default.contents(atPath: "/proc/\(identifier)/stat") else { return false }
    let state = String(decoding: data, as: UTF8.self).split(separator: ")").last?.split(separator: " ").first
    return state != "Z" && state != "X"
  }
  return (try? waitUntil("process \(identifier) has ended") { !isRunning() }) != nil
}
