package import CofferFormat
package import CofferPlatform
internal import CofferSystem
package import CofferTrust

/// The result of a sync: what `coffer-sync sync --json` prints.
package struct SyncReport: Sendable, Codable {
  /// The remote's URL.
  package let remote: String
  /// The number of records that were imported from other machines.
  package var recordsReceived = 0
  /// The number of records of this machine that were pushed.
  package var recordsSent = 0
  /// The number of records of this machine that wait in lanes, because many machines pushed at once: the next push of
  /// any machine puts them on the vault's branch.
  package var recordsInLanes = 0
  /// The number of epochs that this machine has moved to.
  package var epochs = 0
  /// The number of the epoch that this machine follows.
  package var epoch: UInt32 = 1
  /// The number of log entries that were imported.
  package var membershipReceived = 0
  /// The number of log entries that were pushed.
  package var membershipSent = 0
  /// The number of unpublished log entries that were discarded because another machine pushed first. The commands that
  /// created them must be repeated.
  package var membershipDiscarded = 0
  /// The records that do not count, or not yet, because the log does not let their author write them.
  package var unadmittedRecords = UnadmittedRecords() {
    didSet {
      pendingRecords = unadmittedRecords.count(.pending)
      refusedRecords = unadmittedRecords.count(.refused)
    }
  }
  /// The numbers of these records.
  package private(set) var pendingRecords = 0
  package private(set) var refusedRecords = 0
  /// The problems of the remote, without repetition. Empty if nothing is wrong. At most 100 of this sync, because a
  /// hostile remote can cause any number, and those that nobody has read of earlier ones.
  package private(set) var problems: [SyncProblem] = []
  /// The number of missing or altered objects that were pushed again.
  package var repaired = 0
  /// The number of files and folders that were removed from the remote because they are certainly not valid.
  package var removed = 0
  /// The number of items that all machines of the vault share: without those that never leave this machine.
  package var items = 0
  /// The number of log entries that the remote has.
  package var membershipEntries = 0
  /// The bundle identifiers of the registered apps that have no credential on this machine, in ascending order. On a
  /// member, only of those that were given to it.
  package private(set) var appsWithoutCredential: [String] = []
  /// Whether one of them was registered, or given to this machine, for the first time in this sync.
  package private(set) var hasNewAppWithoutCredential = false
  /// Why this machine's drafts of the log were not pushed, as a clause; nil if they were, or if there are none.
  package var membershipObstacle: String?
  /// Whether a copy of this machine has written to its stream.
  package var isClonedDevice = false
  /// The number of items that were changed on two machines at once, and have both versions.
  package var conflictCount = 0
  /// How often the sync began again because another machine had pushed in the meantime.
  package var retryCount = 0
  /// The bytes of the transfers, with those of the protocol.
  package var bytesReceived = 0
  package var bytesSent = 0
  /// How long the sync took, with the wait for another one, in milliseconds: more digits would say nothing.
  package var duration: Duration {
    get { .milliseconds(Int64((min(max(seconds, 0), 1e9) * 1_000).rounded())) }
    set { seconds = (newValue / .milliseconds(1)).rounded() / 1_000 }
  }
  private var seconds = 0.0
  /// What waits for the owner because of this machine's invitations.
  package var invitations: [InvitationNotice] = []

  private static let maximumProblemCount = 100
  /// The number of problems that anybody with push access can cause. The rest of the lines is for those that show a
  /// loss.
  private static let maximumUnsoundCount = 40
  private var unsoundCount = 0

  /// Adds a problem. Returns false if it was reported already (a sync that lost a race examines the same remote again),
  /// or if the maximum is reached. `isUnsoundObject` is true for a file that cannot be used: any number of them can be
  /// planted.
  @discardableResult
  package mutating func add(_ kind: SyncProblem.Kind, _ message: String, isUnsoundObject: Bool = false) -> Bool {
    let problem = SyncProblem(kind, message)
    guard problems.count < Self.maximumProblemCount, !problems.contains(problem) else { return false }
    if isUnsoundObject {
      guard unsoundCount < Self.maximumUnsoundCount else {
        let more = SyncProblem(.unusable, "\(remote) has more files that cannot be used than are listed here")
        if !problems.contains(more) { problems.append(more) }
        return false
      }
      unsoundCount += 1
    }
    problems.append(problem)
    return true
  }

  /// Forgets the problems that were added since an earlier state of this report.
  package mutating func forgetProblems(since earlier: SyncReport) {
    problems = earlier.problems
    unsoundCount = earlier.unsoundCount
  }

  /// Adds the problems that nobody has read, unless this report has them. What was found after the `start` of this sync
  /// was found by this one.
  package mutating func add(_ unread: UnreadProblems, since start: Timestamp) {
    let others = unread.problems.filter { !problems.contains(where: $0.isSame(as:)) }
    problems += others.map { $0.omittingTime(since: start.date) }
  }

  /// Sets the apps that have no credential on this machine. Those in `earlier` could have one before the sync.
  package mutating func setApps(without apps: Set<ApplicationID>, earlier: Set<ApplicationID>) {
    appsWithoutCredential = apps.map(\.bundleID.description).sorted()
    hasNewAppWithoutCredential = !earlier.isSuperset(of: apps)
  }

  // Whether an app is new on this machine is not printed.
  private enum CodingKeys: String, CodingKey {
    case remote, recordsReceived, recordsSent, recordsInLanes, membershipReceived, membershipSent, membershipDiscarded
    case pendingRecords, refusedRecords, unadmittedRecords, problems, repaired, removed, membershipEntries
    case appsWithoutCredential, membershipObstacle, isClonedDevice, invitations, conflictCount, retryCount
    case bytesReceived, bytesSent, seconds, epoch
    case items = "itemCount"
    case epochs = "epochCount"
  }

  /// Creates an empty report.
  package init(remote: String) { self.remote = remote }

  /// Whether nothing had to be transferred.
  package var isUnchanged: Bool {
    recordsReceived + recordsSent + recordsInLanes + membershipReceived + membershipSent + repaired + removed + epochs
      == 0
  }

  /// Whether the sync has found that the remote has everything that this machine has, and the other way round.
  package var isComplete: Bool {
    problems.isEmpty && pendingRecords == 0 && membershipDiscarded == 0 && membershipObstacle == nil
  }
}

extension SyncReport {
  /// The report as lines for people, without the problems.
  package var summary: [String] {
    var lines = [head]
    if recordsReceived + membershipReceived > 0 {
      lines.append("  received: \(Self.count(recordsReceived, membershipReceived))")
    }
    if recordsSent + membershipSent > 0 { lines.append("  sent:     \(Self.count(recordsSent, membershipSent))") }
    if recordsInLanes > 0 {
      lines.append(
        "  sent:     \(counted(recordsInLanes, "item change")), in a lane: many machines sync at once, and the next sync "
          + "of any of them puts them in their place")
    }
    lines += unadmittedLines
    if conflictCount > 0 {
      let verb = conflictCount == 1 ? "was" : "were"
      lines.append(
        "  conflict: \(counted(conflictCount, "item")) \(verb) changed on two machines at once; compare with: coffer conflicts"
      )
    }
    if epochs > 0 { lines.append("  epoch:    \(epoch), which begins with a snapshot") }
    if repaired > 0 { lines.append("  restored: \(repaired) objects that the remote had lost or altered") }
    if removed > 0 { lines.append("  removed:  \(removed) files of the remote that are not valid") }
    if isClonedDevice {
      lines.append(
        "  A copy of this machine has synced under its name, or this machine itself before it was restored from a backup. "
          + "Nothing is lost. If there is a copy, clone the vault there instead."
      )
    }
    if hasNewAppWithoutCredential { lines += appLines }
    lines += invitations.flatMap(\.lines)
    return lines
  }

  /// What the sync has done, and what the remote has now if that is certain.
  private var head: String {
    guard isComplete else { return "\(isUnchanged ? "Compared" : "Synced") with \(remote)." }
    let content = "\(counted(items, "item")), \(counted(membershipEntries, "membership entry", "membership entries"))"
    return "\(isUnchanged ? "Up to date" : "Synced"): \(content) at \(remote)"
  }

  private var appLines: [String] {
    let verb = appsWithoutCredential.count == 1 ? "has" : "have"
    return ["\(counted(appsWithoutCredential.count, "app")) \(verb) no credential on this machine; run:"]
      + appsWithoutCredential.map { "  coffer app install \($0)" }
  }

  /// The pending and refused records by author, a line each.
  private var unadmittedLines: [String] {
    unadmittedRecords.entries.map { "  \($0.state.rawValue):  \($0.words)" }
  }

  private static func count(_ records: Int, _ entries: Int) -> String {
    var parts: [String] = []
    if records > 0 { parts.append(counted(records, "item change")) }
    if entries > 0 { parts.append(counted(entries, "membership entry", "membership entries")) }
    return parts.joined(separator: ", ")
  }
}

/// What a sync has found wrong with the remote or with this machine's store. The rest of the sync was done.
package struct SyncProblem: Hashable, Sendable, Codable {
  /// The kind by its name: a program that was built earlier must be able to read a kind that it does not know.
  package struct Kind: RawRepresentable, Hashable, Sendable, Codable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// The remote lacks objects that it had, or that others have seen there.
    package static let missing = Kind(rawValue: "missing")
    /// The remote has objects that cannot be used: they are damaged, or somebody has planted them.
    package static let unusable = Kind(rawValue: "unusable")
    /// The remote shows this machine something else than it or another machine has seen, or two forms of one thing.
    package static let contradiction = Kind(rawValue: "contradiction")
    /// Records or branches of somebody whom the log does not let write them.
    package static let refused = Kind(rawValue: "refused")
    /// A request for an invitation, or an approval, with which the sync could not go on.
    package static let invitation = Kind(rawValue: "invitation")
    /// This machine's store was damaged.
    package static let store = Kind(rawValue: "store")
  }

  package let kind: Kind
  /// A line for people that is safe to print, of at most 2,000 Unicode scalars.
  package let message: String
  /// When an earlier sync has found it; nil if this one has.
  package private(set) var found: Date?

  private static let maximumMessageLength = 2_000

  package init(_ kind: Kind, _ message: String) {
    self.kind = kind
    let safe = message.sanitizedForTerminal(limit: Self.maximumMessageLength)
    // A scalar that is not safe becomes several. The same limit for them lets a stored problem be equal to a new one.
    self.message = String(String.UnicodeScalarView(safe.unicodeScalars.prefix(Self.maximumMessageLength)))
  }

  /// The problem for people, with the time if an earlier sync has found it.
  package var line: String {
    found.map { "\(message) (found by an earlier sync, at \($0.localText))" } ?? message
  }

  /// The same problem, for the reports of later syncs.
  func found(at time: Timestamp) -> SyncProblem {
    var problem = self
    problem.found = time.date
    return problem
  }

  /// The same problem, without the time if it was found after the `start` of this sync.
  package func omittingTime(since start: Date) -> SyncProblem {
    guard let found, found >= start else { return self }
    return SyncProblem(kind, message)
  }

  /// The same problem, which another program can have written, safe to print.
  var sanitized: SyncProblem {
    let kind = Kind(rawValue: kind.rawValue.sanitizedForTerminal(limit: Self.maximumKindLength))
    var problem = SyncProblem(kind, message)
    // Other times are printed as no program reads them.
    problem.found = min(max(found ?? .distantFuture, Date(timeIntervalSince1970: 0)), Timestamp.now.date)
    return problem
  }

  private static let maximumKindLength = 64

  /// Whether another problem is the same, whenever it was found.
  func isSame(as other: SyncProblem) -> Bool { kind == other.kind && message == other.message }
}
