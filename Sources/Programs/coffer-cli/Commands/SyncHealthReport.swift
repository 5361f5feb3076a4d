internal import CofferSystem
internal import CofferTerminal
internal import CofferVault
internal import Foundation

/// How the syncs of the vault go, for `coffer status` and `coffer service status`.
struct SyncHealthReport: Encodable {
  struct Failure: Encodable {
    let code: String
    let message: String
    let recoverySuggestion: String?
  }

  /// Whether a process syncs the vault by itself, and which one.
  let isWatched: Bool
  let process: Int32?
  let lastAttempt: Date?
  let lastSuccess: Date?
  let nextSync: Date?
  let failureCount: Int
  let problemCount: Int
  let lastError: Failure?

  init(_ health: SyncHealth, watcher: Int32?) {
    isWatched = watcher != nil
    process = watcher
    lastAttempt = health.lastAttempt
    lastSuccess = health.lastSuccess
    nextSync = watcher == nil ? nil : health.nextSync
    failureCount = health.failureCount
    problemCount = health.problemCount
    let error = health.lastError?.error
    lastError = error.map {
      Failure(code: $0.code.description, message: $0.message, recoverySuggestion: $0.recoverySuggestion)
    }
  }

  /// The report as rows of a table.
  func rows(asOf now: Date) -> [[String]] {
    var rows = [["By itself", watching(asOf: now)]]
    if let lastError {
      let since = lastSuccess.map { " since \(Output.date($0))" } ?? ""
      let advice = lastError.recoverySuggestion.map { "; \($0)" } ?? ""
      rows.append([
        "Sync fails", "\(counted(failureCount, "time"))\(since): \(Output.cell(lastError.message + advice))",
      ])
    }
    if problemCount > 0 {
      rows.append(["Problems", "\(counted(problemCount, "problem")) in the last sync (coffer sync names them)"])
    }
    return rows
  }

  private func watching(asOf now: Date) -> String {
    guard let process else { return "no sync runs by itself (coffer service install)" }
    var words = ["process \(process) syncs by itself"]
    if let lastAttempt { words.append("last \(Output.age(of: lastAttempt, asOf: now))") }
    if let nextSync { words.append("next \(Self.wait(until: nextSync, from: now))") }
    return words.joined(separator: ", ")
  }

  private static func wait(until time: Date, from now: Date) -> String {
    let seconds = Int(time.timeIntervalSince(now).rounded())
    guard seconds >= 60 else { return seconds > 0 ? "in about \(counted(seconds, "second"))" : "now" }
    let minutes = (seconds + 30) / 60
    return minutes < 120 ? "in about \(counted(minutes, "minute"))" : "in about \(counted(minutes / 60, "hour"))"
  }
}
