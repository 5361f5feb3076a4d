import CofferVault
import Foundation
import Testing

@testable import CofferInspectProgram

/// How far a sync is, as its page says it.
@Suite struct SyncStateTests {
  private func progress(_ steps: SyncStep...) -> SyncProgress {
    var progress = SyncProgress(isRunning: true)
    for step in steps { progress.add(step) }
    return progress
  }

  private func states(_ progress: SyncProgress) -> [String] { SyncState(progress).phases.map(\.state.rawValue) }

  @Test func `Each phase has the words of the terminal's progress, and the last one goes on`() {
    let state = SyncState(
      progress(
        SyncStep(.connecting), SyncStep(.receiving, done: 12, total: 48, bytes: 4_000),
        SyncStep(.receiving, done: 48, total: 48, bytes: 9_000), SyncStep(.importing, done: 1, total: 3)))
    #expect(
      state.phases.map(\.words) == [
        "Asking the remote", "Receiving 48 of 48 objects, 9 kB", "Importing 1 of 3 files of other machines", "Sending",
      ])
    #expect(state.phases.map(\.name) == ["connecting", "receiving", "importing", "sending"])
    #expect(state.phases.map(\.stateWords) == ["done", "done", "now", ""])
    #expect(state.done == 1 && state.total == 3 && state.isRunning && state.repetition.isEmpty)
    #expect(state.message == "A sync is running: it verifies and stores what it has received.")
  }

  @Test func `A sync that another machine has outrun begins again at its first phase, and says how often`() {
    var progress = progress(
      SyncStep(.connecting), SyncStep(.importing), SyncStep(.sending, bytes: 10), SyncStep(.connecting))
    #expect(states(progress) == ["current", "waiting", "waiting", "waiting"])
    #expect(SyncState(progress).repetition == "It has begun again 1 time.")
    progress.add(SyncStep(.sending))
    progress.add(SyncStep(.connecting))
    #expect(SyncState(progress).repetition == "It has begun again 2 times.")
    // It has moved to another epoch, of which it receives the objects.
    progress.add(SyncStep(.importing))
    progress.add(SyncStep(.receiving, done: 1, total: 2))
    #expect(states(progress) == ["done", "current", "waiting", "waiting"] && progress.repetitionCount == 2)
  }

  @Test func `A phase that did not occur is marked at the end, and the one in which a sync failed or was cancelled`() {
    var progress = progress(SyncStep(.connecting), SyncStep(.importing))
    progress.isRunning = false
    progress.end = .done(SyncReport(remote: "r"))
    #expect(states(progress) == ["done", "absent", "done", "absent"])
    #expect(SyncState(progress).phases[3].stateWords == "nothing to do")
    #expect(SyncState(progress).message == "The sync is complete.")
    progress.end = .failed(VaultError(.network, "x"))
    #expect(states(progress) == ["done", "waiting", "stopped", "waiting"])
    #expect(SyncState(progress).message == "The sync failed.")
    progress.end = .cancelled
    #expect(SyncState(progress).message == "The sync was cancelled." && states(progress)[2] == "stopped")
    #expect(SyncState(SyncProgress()).phases.isEmpty && SyncState(SyncProgress()).message.isEmpty)
  }

  @Test func `The result has everything of the report, with its problems`() {
    var report = SyncReport(remote: "r")
    report.recordsReceived = 2
    report.recordsSent = 1
    report.membershipSent = 3
    report.conflictCount = 1
    report.retryCount = 4
    report.bytesReceived = 12_000
    report.bytesSent = 900
    report.duration = .milliseconds(1_240)
    report.add(.missing, "r has <lost> an object")
    var progress = SyncProgress()
    (progress.end, progress.problems) = (.done(report), report.problems)
    let html = SyncResultView(progress: progress).html.source
    for row in [
      "Received</dt><dd>2 item changes</dd>", "Sent</dt><dd>1 item change, 3 membership entries</dd>",
      "Conflicts</dt><dd>1 item</dd>", "Retries</dt><dd>4</dd>", "Bytes</dt><dd>12 kB received, 900 bytes sent</dd>",
      "Time</dt><dd>1.2 seconds</dd>", "1 problem", "r has &lt;lost&gt; an object",
    ] {
      #expect(html.contains(row), "\(row) in \(html)")
    }
    #expect(SyncState(progress).message == "The sync is complete, with 1 problem.")
  }

  @Test func `Numbers and lines that a remote has chosen stay within their limits`() {
    var progress = progress(SyncStep(.receiving, done: .max, total: -1), SyncStep(.importing, done: 9, total: 3))
    #expect(SyncState(progress).done == 3 && SyncState(progress).total == 3)
    for number in 0..<500 { progress.add("line \(number)\u{1B}[31m") }
    #expect(progress.lines.count == SyncProgress.maximumLineCount && progress.lines.last?.contains("\u{1B}") == false)
    #expect(progress.lines.last?.hasPrefix("line 499") == true)
  }
}
