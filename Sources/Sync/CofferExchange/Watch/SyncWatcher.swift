internal import CofferGit
internal import CofferPlatform
internal import CofferStore
internal import CofferSystem
package import CofferVault
package import Logging
internal import Synchronization

/// Syncs a vault by itself: at once, shortly after each commit on this machine, and at an interval; after a failure
/// with growing waits, when the network has changed or the machine was suspended, and when a program misses something.
///
/// It blocks: ``run()`` ends after ``stop()``, or if it cannot begin. It needs the device's keys and no group key.
package final class SyncWatcher: Sendable {
  private let folder: VaultFolder
  private let interval: Duration
  private let access: RemoteAccess
  private let logger: Logger
  private let say: @Sendable (String) -> Void
  private let cancellation = Cancellation()
  private let signal: WatchSignal

  /// How often it looks whether the machine was suspended, during which timers stand still, if the system does not say.
  private static let suspensionCheck = Duration.seconds(30)
  /// By how much the clocks differ after a suspension that counts.
  private static let shortestSuspension = Duration.seconds(10)
  /// How long after the last write a commit may become visible.
  private static let lateCommit = Duration.seconds(30)
  /// How often it looks whether a vault is at the path again, after its folder was moved.
  private static let absenceCheck = Duration.seconds(5)

  private init(
    _ folder: VaultFolder, interval: Duration, access: RemoteAccess, logger: Logger, signal: WatchSignal,
    say: @escaping @Sendable (String) -> Void
  ) {
    self.folder = folder
    self.interval = interval
    self.access = access
    self.logger = logger
    self.signal = signal
    self.say = say
  }

  /// Prepares a watch, which does not run yet. The interval is the time between two syncs if nothing happens; each wait
  /// is up to 20 % shorter or longer. `say` receives a line for each event that somebody may want to know of.
  package static func prepare(
    _ folder: VaultFolder, interval: Duration, access: RemoteAccess = RemoteAccess(), logger: Logger,
    say: @escaping @Sendable (String) -> Void
  ) throws(VaultError) -> SyncWatcher {
    SyncWatcher(folder, interval: interval, access: access, logger: logger, signal: try WatchSignal.open(), say: say)
  }

  /// Ends the watch, also in the middle of a sync. Can be called from any thread.
  package func stop() {
    cancellation.cancel()
    signal.note { $0.isStopped = true }
  }

  /// Syncs until ``stop()``, also after another folder has taken the place of the vault's. Throws `io` if another
  /// process watches the vault, or the folder cannot be watched.
  package func run() throws(VaultError) {
    let signal = signal
    let networkWatch = SystemWatch.network { signal.note { $0.isNetworkChanged = true } }
    let clockWatch = SystemWatch.clock { signal.note { _ in } }
    defer { extendLifetime((networkWatch, clockWatch)) }
    let longestWait = clockWatch == nil ? Self.suspensionCheck : .seconds(3_600)
    try watchFolder(longestWait: longestWait)
    while !cancellation.isCancelled {
      do throws(VaultError) {
        try watchFolder(longestWait: longestWait)
      } catch {
        // Another process watches it.
        guard error.code != .io else { throw error }
        // It is still being copied, or was moved again.
        _ = signal.wait(timeout: Self.absenceCheck)
      }
    }
    say("stopped")
  }

  /// Syncs until ``stop()``, or until another folder with a vault is at the path. `longestWait` is the longest time
  /// without a look at the clocks.
  private func watchFolder(longestWait: Duration) throws(VaultError) {
    let lock = try WatchLock.acquire(in: folder)
    defer { extendLifetime(lock) }
    let store = try folder.openStore()
    let signal = signal
    let folderWatch = try FolderWatch.start(on: folder.path, prefix: "store.sqlite") {
      signal.note { $0.isStoreWritten = true }
    }
    let missWatch = try FolderWatch.start(on: folder.path, prefix: folder.missName) {
      signal.note { $0.isMissing = true }
    }
    defer { extendLifetime((folderWatch, missWatch)) }
    // A process that was killed has left its own.
    SyncHealth.update(in: folder) { $0.nextSync = nil }
    say("watching the vault at \(folder.path), a sync every \(interval.inWords)")
    var run = Run(store: store, schedule: SyncSchedule(interval: interval))
    // Before the lock is released: the next process writes its own.
    defer { SyncHealth.update(in: folder) { $0.nextSync = nil } }
    while !cancellation.isCancelled {
      let isInPlace = lock.isHeld(in: folder)
      if !isInPlace, folder.exists { return say("another folder is at \(folder.path)") }
      let wait = min(run.schedule.next, run.looks.first ?? run.schedule.next) - run.now
      let events = signal.wait(timeout: min(wait, isInPlace ? longestWait : Self.absenceCheck))
      if events.isStopped { return }
      // The next turn continues in the other folder.
      if !lock.isHeld(in: folder), folder.exists { continue }
      note(events, in: &run)
      if run.schedule.next <= run.now { sync(&run) }
    }
  }

  /// What changes while it runs.
  private struct Run {
    /// Kept open: the last program that closes the store writes to its folder, which would be a change.
    var store: Store
    var schedule: SyncSchedule
    /// What was to be sent when it was looked at last.
    var known: UnsentChanges?
    /// When to look again: the kernel reports the written bytes of a commit before the commit is visible, slightly or,
    /// if the disk is slow, by seconds.
    var looks: [Duration] = []
    var suspended = Duration.zero
    /// What was said of failures and problems, so that it is said once.
    var said: Set<String> = []
    private let start = ContinuousClock.now
    private let activeStart = SuspendingClock.now

    init(store: Store, schedule: SyncSchedule) {
      self.store = store
      self.schedule = schedule
    }

    /// The time since the start, also while the machine was suspended.
    var now: Duration { ContinuousClock.now - start }
    /// How long the machine was suspended since the start.
    var totalSuspension: Duration { now - (SuspendingClock.now - activeStart) }
  }

  private func note(_ events: WatchSignal.Events, in run: inout Run) {
    let now = run.now
    if run.totalSuspension - run.suspended > Self.shortestSuspension {
      run.suspended = run.totalSuspension
      say("the machine was suspended")
      run.schedule.noteResumption(at: now)
    }
    if events.isNetworkChanged, run.schedule.isFailing {
      let before = run.schedule.next
      run.schedule.noteNetworkChange(at: now)
      if run.schedule.next < before { say("the network has changed") }
    }
    if events.isMissing, folder.exists { run.schedule.noteMiss(at: now) }
    run.looks.removeAll { $0 <= now }
    if events.isStoreWritten { run.looks = [now + SyncSchedule.quietTime, now + Self.lateCommit] }
    // What is wrong with the store is said by the next sync.
    guard let state = try? UnsentChanges(run.store) else { return }
    if state.callsForSync(after: run.known) { run.schedule.noteChange(at: now) }
    run.known = state
  }

  private func sync(_ run: inout Run) {
    // What is missed from now on may arrive after this sync.
    folder.forgetMiss()
    let before = try? UnsentChanges(run.store)
    let outcome: SyncSchedule.Outcome
    do throws(VaultError) {
      let report = try VaultSync(folder, access: access, cancellation: cancellation, logger: logger).run()
      outcome = .done
      if run.schedule.isFailing { say("the sync works again") }
      let lines = report.problems.filter { $0.found == nil }.map(\.message) + report.notices
      run.said.formIntersection(lines)
      report.events.forEach(say)
      for line in lines where run.said.insert(line).inserted { say(line) }
    } catch {
      guard !cancellation.isCancelled else { return }
      outcome = SyncSchedule.Outcome(error)
      // Once, not at each attempt.
      if run.said.insert(error.description).inserted { say("the sync failed: \(error)") }
    }
    run.schedule.finish(outcome, at: run.now)
    // The store may have been replaced by another one.
    if let store = try? folder.openStore() { run.store = store }
    // What was committed during the sync calls for another one; what this one could not send does not.
    run.looks = [run.now + SyncSchedule.quietTime]
    let state = try? UnsentChanges(run.store)
    if outcome == .done, let state, state.callsForSync(after: before) { run.schedule.noteChange(at: run.now) }
    run.known = state
    let wait = run.schedule.next - run.now
    SyncHealth.update(in: folder) { $0.nextSync = Date(timeIntervalSinceNow: wait / .seconds(1)) }
    if outcome != .done { logger.debug("waiting", metadata: ["time": "\(wait)"]) }
  }
}

extension SyncReport {
  /// What was transferred, as a line; none if nothing was.
  fileprivate var events: [String] {
    var parts: [String] = []
    for (verb, records, entries) in [
      ("received", recordsReceived, membershipReceived), ("sent", recordsSent, membershipSent),
    ] where records + entries > 0 {
      var words: [String] = []
      if records > 0 { words.append(counted(records, "item change")) }
      if entries > 0 { words.append(counted(entries, "membership entry", "membership entries")) }
      parts.append("\(verb) \(words.joined(separator: ", "))")
    }
    if repaired > 0 { parts.append("restored \(counted(repaired, "object"))") }
    if removed > 0 { parts.append("removed \(counted(removed, "file")) of the remote") }
    return parts.isEmpty ? [] : ["synced: \(parts.joined(separator: "; "))"]
  }

  /// What waits for the owner, a line each.
  fileprivate var notices: [String] {
    var lines = invitations.flatMap(\.lines).map { $0.trimmedSpace }
    if let membershipObstacle { lines.append("the change of membership was not pushed: \(membershipObstacle)") }
    return lines
  }
}

extension Duration {
  /// The duration in the largest unit that divides it: "15 minutes".
  fileprivate var inWords: String {
    let seconds = Int(components.seconds)
    let units = [(3_600, "hour"), (60, "minute"), (1, "second")]
    guard let (length, name) = units.first(where: { seconds > 0 && seconds.isMultiple(of: $0.0) }) else {
      return "\(self)"
    }
    return counted(seconds / length, name)
  }
}

/// What a vault has for the remote, as far as it tells whether something was added: cheap to read after each commit.
struct UnsentChanges: Hashable, Sendable {
  /// The number of records in the outbox, and the row of the newest one.
  private let recordCount: Int
  private let lastRecord: Int64
  /// The number of log entries that are not published.
  private let entryCount: Int
  private let remote: [UInt8]?

  /// Reads the state of a vault.
  init(_ store: Store) throws(VaultError) {
    (recordCount, lastRecord, entryCount, remote) = try translatingErrors {
      try store.read { reader in
        (
          try reader.outboxCount(), try reader.lastOutboxRecord(), try reader.unpublishedLogEntryCount(),
          try reader.setting(.remoteURL)
        )
      }
    }
  }

  /// Whether a sync is worth it if the state was another one before: something is to be sent, or there is another
  /// remote.
  func callsForSync(after known: UnsentChanges?) -> Bool {
    guard let known else { return true }
    return self != known && (remote != known.remote || recordCount > 0 || entryCount > 0)
  }
}

/// What wakes the process that syncs a vault by itself, from any thread.
final class WatchSignal: Sendable {
  /// What has happened.
  struct Events: Sendable, Hashable {
    var isStoreWritten = false
    var isNetworkChanged = false
    var isMissing = false
    /// The process is to end. Final.
    var isStopped = false
  }

  private let events = Mutex(Events())
  private let wake: DescriptorPair

  private init(_ wake: consuming DescriptorPair) { self.wake = wake }

  /// Opens the descriptors by which threads wake each other.
  static func open() throws(VaultError) -> WatchSignal {
    do throws(SystemError) {
      return WatchSignal(try Descriptor.socketPair())
    } catch {
      throw systemFailure("open a pipe", number: error.number)
    }
  }

  /// Says that something has happened.
  func note(_ change: (inout Events) -> Void) {
    events.withLock { change(&$0) }
    // A failure can be ignored: if the socket is full, the other thread is awake already.
    _ = unsafe withUnsafeBytes(of: UInt8(1)) { unsafe Descriptor.send($0, to: wake.theirs.rawValue) }
  }

  /// Waits for an event, at most for a time by the kernel's clock, which no change of the time of day affects. Returns
  /// what has happened since the last call.
  func wait(timeout: Duration) -> Events {
    var descriptor = pollfd(fd: wake.ours.rawValue, events: Int16(POLLIN), revents: 0)
    // Rounded up: a timeout of 0 would make the last millisecond a busy loop.
    let milliseconds = min(max(timeout / .milliseconds(1), 0), 3_600_000).rounded(.up)
    _ = unsafe poll(&descriptor, 1, Int32(milliseconds))
    var chunk = [UInt8](repeating: 0, count: 64)
    while unsafe chunk.withUnsafeMutableBytes({ unsafe Descriptor.receive(into: $0, from: wake.ours.rawValue) }) > 0 {}
    return events.withLock { events in
      let now = events
      events = Events(isStopped: now.isStopped)
      return now
    }
  }
}
