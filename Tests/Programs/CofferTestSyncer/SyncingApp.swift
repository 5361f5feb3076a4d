import Coffer
import CofferSync
import Foundation

/// An app that syncs its vault: `CofferTestSyncer PLIST MODE [FILE]`. It prints what it learns, a line each.
@main enum SyncingApp {
  static func main() async {
    let arguments = CommandLine.arguments
    do throws(VaultError) {
      let vault = try await Vault.open(.file(URL(fileURLWithPath: arguments[1])))
      switch arguments[2] {
      case "sync": try await sync(vault)
      case "status": try await showStatus(vault)
      case "observe": try await observe(vault)
      default: try await cancel(vault, whenExists: arguments[3])
      }
    } catch {
      say("error \(error.code): \(error)")
      exit(1)
    }
  }

  private static func say(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }

  /// Syncs, and prints phases and result.
  private static func sync(_ vault: Vault) async throws(VaultError) {
    let result = try await vault.sync { progress in
      say("\(progress.phase) \(progress.completed) of \(progress.total), bytes: \(progress.byteCount > 0)")
    }
    say("received \(result.receivedCount), sent \(result.sentCount), conflicts \(result.conflictCount)")
    say("bytes \(result.receivedByteCount > 0) \(result.sentByteCount > 0), took \(result.duration > .zero)")
    for problem in result.problems { say("problem \(problem.kind): \(problem)") }
  }

  private static func showStatus(_ vault: Vault) async throws(VaultError) {
    guard let status = try await vault.syncStatus() else { return say("no remote") }
    say("remote \(status.remote), attempted \(status.lastAttempt != nil), succeeded \(status.lastSuccess != nil)")
    say("error \(status.lastError.map { "\($0.code)" } ?? "none"), failures \(status.failureCount)")
    say("problems \(status.problemCount), watched \(status.isWatched), next \(status.nextSync != nil)")
  }

  /// Observes a group, syncs, and prints the groups of the first change.
  private static func observe(_ vault: Vault) async throws(VaultError) {
    var changes = vault.changes().makeAsyncIterator()
    try await vault.sync()
    let groups = try await changes.next()?.accessGroups ?? []
    for group in groups { say("changed \(group)") }
  }

  /// Starts a sync and cancels it when a file exists.
  private static func cancel(_ vault: Vault, whenExists path: String) async throws(VaultError) {
    let task = Task {
      do throws(VaultError) {
        try await vault.sync()
        return "done"
      } catch {
        return "error \(error.code)"
      }
    }
    while !FileManager.default.fileExists(atPath: path) { try? await Task.sleep(for: .milliseconds(10)) }
    task.cancel()
    say(await task.value)
  }
}
