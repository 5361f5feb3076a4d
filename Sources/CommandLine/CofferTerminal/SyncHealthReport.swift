internal import Coffer
package import CofferAdministration
package import CofferPlatform
internal import CofferSystem
package import CofferVault

/// How the syncs of the vault go, for `coffer status`, `coffer service status` and the inspector.
package struct SyncHealthReport: Encodable {
  /// Why the last sync failed.
  package struct Failure: Encodable {
    package let code: String
    package let message: String
    package let recoverySuggestion: String?
  }

  /// Whether a process syncs the vault by itself, and which one.
  package let isWatched: Bool
  package let process: Int32?
  package let lastAttempt: Date?
  package let lastSuccess: Date?
  package let nextSync: Date?
  package let failureCount: Int
  package let problemCount: Int
  package let unreadProblemCount: Int
  package let lastError: Failure?

  /// `unreadProblemCount` is the number of problems that syncs have found and no person has read.
  package init(_ health: SyncHealth, unreadProblemCount: Int, watcher: Int32?) {
    isWatched = watcher != nil
    process = watcher
    lastAttempt = health.lastAttempt
    lastSuccess = health.lastSuccess
    nextSync = watcher == nil ? nil : health.nextSync
    failureCount = health.failureCount
    problemCount = health.problemCount
    self.unreadProblemCount = unreadProblemCount
    let error = health.lastError?.error
    lastError = error.map {
      Failure(code: $0.code.description, message: $0.message, recoverySuggestion: $0.recoverySuggestion)
    }
  }

  /// The report as rows of a table.
  package func rows(asOf now: Date) -> [[String]] {
    var rows = [["By itself", watching(asOf: now)]]
    if let lastError, let failures {
      let advice = lastError.recoverySuggestion.map { "; \($0)" } ?? ""
      rows.append(["Sync fails", "\(failures): \(Output.cell(lastError.message + advice))"])
    }
    if let problems {
      rows.append(["Problems", problems + (unreadProblemCount > 0 ? " (read with: coffer sync)" : "")])
    }
    return rows
  }

  /// How often syncs have failed, and since when; nil if the last one did not.
  package var failures: String? {
    guard lastError != nil else { return nil }
    return counted(failureCount, "time") + (lastSuccess.map { " since \(Output.date($0))" } ?? "")
  }

  /// How many problems no person has read or, if there are none, how many the last sync has found; nil if none.
  package var problems: String? {
    if unreadProblemCount > 0 { return counted(unreadProblemCount, "unread problem") }
    return problemCount > 0 ? "\(counted(problemCount, "problem")) in the last sync" : nil
  }

  /// Whether a process syncs the vault by itself, with the times of its last and its next sync.
  package func watching(asOf now: Date) -> String {
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

extension VaultStatus {
  package var itemCount: Int { groups.reduce(0) { $0 + $1.itemCount } }

  /// The number of items that machines have changed at the same time.
  package var conflictCount: Int { groups.reduce(0) { $0 + $1.conflictCount } }

  /// What the remote has, in words that need no knowledge of epochs:
  /// "12 kB of changes since the snapshot of 34 kB, made 2026-11-21 00:31:49 by laptop".
  package var remoteSizeWords: String {
    let changes = "\(Output.size(epochByteCount)) of changes"
    guard snapshotByteCount > 0 else { return changes }
    let made = epoch.begun.map { ", made \(Output.date($0))\(epoch.beginner.map { " by \($0)" } ?? "")" }
    return "\(changes) since the snapshot of \(Output.size(snapshotByteCount))\(made ?? "")"
  }
}

extension VaultStatus {
  /// The size of the epoch: "12 kB since its snapshot of 34 kB".
  package var epochSize: String {
    let size = Output.size(epochByteCount)
    return snapshotByteCount > 0 ? "\(size) since its snapshot of \(Output.size(snapshotByteCount))" : size
  }
}

extension Output {
  /// Returns a size in bytes, in the unit that fits.
  package static func size(_ byteCount: Int) -> String {
    byteCount.byteCountText
  }
}

extension VaultStatus {
  /// How the syncs of the vault go.
  package var syncHealth: SyncHealthReport {
    SyncHealthReport(health, unreadProblemCount: unreadProblemCount, watcher: watcher)
  }
}
