package import CofferSystem
import Foundation

/// A step of a program at which a test kills it: the occurrence of a fault point in the program and those it starts.
package struct FaultStep: Hashable, Sendable, CustomStringConvertible {
  package let point: FaultPoint
  /// The number of the occurrence, from 1.
  package let occurrence: Int

  package init(point: FaultPoint, occurrence: Int) {
    self.point = point
    self.occurrence = occurrence
  }

  package var description: String { "\(point.rawValue):\(occurrence)" }
}

extension Machine {
  /// Runs a program to its end.
  ///
  /// - Parameters:
  ///   - program: The name of the program.
  ///   - arguments: The program's arguments.
  ///   - input: The text of standard input.
  ///   - exitCode: The exit code that is required.
  /// - Returns: The steps that the program, and the programs that it started, reached.
  /// - Throws: An error if the program ends with another exit code, or the log names an unknown step.
  package func steps(
    of program: String, _ arguments: [String], input: String = "", exitCode: Int32 = 0
  ) throws -> [FaultStep] {
    let log = directory.path("steps")
    let outcome = try start(program, arguments, input: Data(input.utf8), environment: ["COFFER_FAULT_LOG": log]).wait()
    guard outcome.exitCode == exitCode else {
      throw SpawnedProgram.Failure(description: "\(program) \(arguments.joined(separator: " ")): \(outcome)")
    }
    var counts: [FaultPoint: Int] = [:]
    return try reachedPoints(log).map { point in
      counts[point, default: 0] += 1
      return FaultStep(point: point, occurrence: counts[point] ?? 0)
    }
  }

  /// Runs a program that is killed at a step, together with the program that reaches the step.
  ///
  /// - Parameters:
  ///   - program: The name of the program.
  ///   - arguments: The program's arguments.
  ///   - input: The text of standard input.
  ///   - step: The step.
  /// - Throws: An error if the program ended in another way, or did not reach the step as its last one.
  package func kill(_ program: String, _ arguments: [String], input: String = "", at step: FaultStep) throws {
    let log = directory.path("steps-until-kill")
    let outcome = try start(
      program, arguments, input: Data(input.utf8),
      environment: ["COFFER_FAULT_LOG": log, "COFFER_FAULT_POINT": "\(step)"],
      wrapper: ["sh", "-c", "export COFFER_FAULT_ROOT=$$; exec \"$@\"", "sh"]
    ).wait()
    let points = try reachedPoints(log)
    guard outcome.signal == SIGKILL, points.last == step.point,
      points.count(where: { $0 == step.point }) == step.occurrence
    else { throw SpawnedProgram.Failure(description: "\(program) was not killed at \(step): \(outcome)") }
  }

  private func reachedPoints(_ log: String) throws -> [FaultPoint] {
    guard FileManager.default.fileExists(atPath: log) else { return [] }
    let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
    try FileManager.default.removeItem(atPath: log)
    return try lines.map { line in
      guard let point = FaultPoint(rawValue: String(line)) else {
        throw SpawnedProgram.Failure(description: "there is no fault point \(line)")
      }
      return point
    }
  }
}
