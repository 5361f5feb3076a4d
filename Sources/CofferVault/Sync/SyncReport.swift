package import CofferTrust

/// The result of a sync: what `coffer-sync sync --json` prints.
package struct SyncReport: Sendable, Codable {
  /// The remote's URL.
  package let remote: String
  /// The number of records that were imported from other machines.
  package var recordsReceived = 0
  /// The number of records of this machine that were pushed.
  package var recordsSent = 0
  /// The number of records of this machine that wait in lanes, because many machines pushed at once: the next push of any
  /// machine puts them on the vault's branch.
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
  package var unadmittedRecords = UnadmittedRecords()
  /// The problems of the remote, one line each, without repetition. Empty for an honest remote. At most 100 lines,
  /// because a hostile remote can cause any number.
  package private(set) var problems: [String] = []
  /// The number of missing or altered objects that were pushed again.
  package var repaired = 0
  /// The number of files and folders that were removed from the remote because they are certainly not valid.
  package var removed = 0
  /// The number of items that all machines of the vault share: without those that never leave this machine.
  package var items = 0
  /// The number of log entries that the remote has.
  package var membershipEntries = 0
  /// The bundle identifiers of the registered apps that have no credential on this machine, in ascending order. On a member,
  /// only of those that were given to it.
  package private(set) var appsWithoutCredential: [String] = []
  /// Whether one of them was registered, or given to this machine, for the first time in this sync.
  package private(set) var hasNewAppWithoutCredential = false
  /// Why this machine's changes of membership were not pushed, as a clause; nil if they were, or if there are none.
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
  /// How long the sync took, with the wait for another one.
  package var duration = Duration.zero
  /// What waits for the owner because of this machine's invitations.
  package var invitations: [InvitationNotice] = []

  private static let maximumProblemCount = 100
  /// The number of problems that anybody with push access can cause. The rest of the lines is for those that show a loss.
  private static let maximumUnsoundCount = 40
  private var unsoundCount = 0

  /// Adds a problem, a line. Returns false if it was reported already (a sync that lost a race examines the same remote
  /// again), or if the maximum is reached. `isUnsoundObject` is true for a file that cannot be used: any number of them
  /// can be planted.
  @discardableResult
  package mutating func add(_ problem: String, isUnsoundObject: Bool = false) -> Bool {
    guard problems.count < Self.maximumProblemCount, !problems.contains(problem) else { return false }
    if isUnsoundObject {
      guard unsoundCount < Self.maximumUnsoundCount else {
        let more = "\(remote) has more files that cannot be used than are listed here"
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

  /// Sets the apps that have no credential on this machine. The known ones could have one before the sync.
  package mutating func setApps(without apps: Set<ApplicationID>, known: Set<ApplicationID>) {
    appsWithoutCredential = apps.map(\.bundleID.description).sorted()
    hasNewAppWithoutCredential = !known.isSuperset(of: apps)
  }

  private enum CodingKeys: String, CodingKey {
    case remote, recordsReceived, recordsSent, recordsInLanes, membershipReceived, membershipSent, membershipDiscarded
    case pendingRecords, refusedRecords, unadmittedRecords
    case problems, repaired, removed, itemCount, membershipEntries, appsWithoutCredential, membershipObstacle
    case isClonedDevice, invitations, epoch, epochCount, conflictCount, retryCount, bytesReceived, bytesSent, seconds
  }

  /// Reads a report that ``encode(to:)`` has written. Whether an app is new on this machine is not a part of it.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    remote = try values.decode(String.self, forKey: .remote)
    recordsReceived = try values.decode(Int.self, forKey: .recordsReceived)
    recordsSent = try values.decode(Int.self, forKey: .recordsSent)
    recordsInLanes = try values.decode(Int.self, forKey: .recordsInLanes)
    membershipReceived = try values.decode(Int.self, forKey: .membershipReceived)
    membershipSent = try values.decode(Int.self, forKey: .membershipSent)
    membershipDiscarded = try values.decode(Int.self, forKey: .membershipDiscarded)
    unadmittedRecords = UnadmittedRecords(
      entries: try values.decode([UnadmittedRecords.Entry].self, forKey: .unadmittedRecords))
    problems = try values.decode([String].self, forKey: .problems)
    repaired = try values.decode(Int.self, forKey: .repaired)
    removed = try values.decode(Int.self, forKey: .removed)
    items = try values.decode(Int.self, forKey: .itemCount)
    membershipEntries = try values.decode(Int.self, forKey: .membershipEntries)
    appsWithoutCredential = try values.decode([String].self, forKey: .appsWithoutCredential)
    membershipObstacle = try values.decodeIfPresent(String.self, forKey: .membershipObstacle)
    isClonedDevice = try values.decode(Bool.self, forKey: .isClonedDevice)
    invitations = try values.decode([InvitationNotice].self, forKey: .invitations)
    conflictCount = try values.decode(Int.self, forKey: .conflictCount)
    retryCount = try values.decode(Int.self, forKey: .retryCount)
    bytesReceived = try values.decode(Int.self, forKey: .bytesReceived)
    bytesSent = try values.decode(Int.self, forKey: .bytesSent)
    let seconds = try values.decode(Double.self, forKey: .seconds)
    duration = .milliseconds(Int64((min(max(seconds, 0), 1e9) * 1_000).rounded()))
    epoch = try values.decode(UInt32.self, forKey: .epoch)
    epochs = try values.decode(Int.self, forKey: .epochCount)
  }

  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(remote, forKey: .remote)
    try values.encode(recordsReceived, forKey: .recordsReceived)
    try values.encode(recordsSent, forKey: .recordsSent)
    try values.encode(recordsInLanes, forKey: .recordsInLanes)
    try values.encode(membershipReceived, forKey: .membershipReceived)
    try values.encode(membershipSent, forKey: .membershipSent)
    try values.encode(membershipDiscarded, forKey: .membershipDiscarded)
    try values.encode(unadmittedRecords.count(.pending), forKey: .pendingRecords)
    try values.encode(unadmittedRecords.count(.refused), forKey: .refusedRecords)
    try values.encode(unadmittedRecords.entries, forKey: .unadmittedRecords)
    try values.encode(problems, forKey: .problems)
    try values.encode(repaired, forKey: .repaired)
    try values.encode(removed, forKey: .removed)
    try values.encode(items, forKey: .itemCount)
    try values.encode(membershipEntries, forKey: .membershipEntries)
    try values.encode(appsWithoutCredential, forKey: .appsWithoutCredential)
    try values.encodeIfPresent(membershipObstacle, forKey: .membershipObstacle)
    try values.encode(isClonedDevice, forKey: .isClonedDevice)
    try values.encode(invitations, forKey: .invitations)
    try values.encode(conflictCount, forKey: .conflictCount)
    try values.encode(retryCount, forKey: .retryCount)
    try values.encode(bytesReceived, forKey: .bytesReceived)
    try values.encode(bytesSent, forKey: .bytesSent)
    // In milliseconds: more digits would say nothing.
    try values.encode((duration / .milliseconds(1)).rounded() / 1_000, forKey: .seconds)
    try values.encode(epoch, forKey: .epoch)
    try values.encode(epochs, forKey: .epochCount)
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
    problems.isEmpty && unadmittedRecords.count(.pending) == 0 && membershipDiscarded == 0 && membershipObstacle == nil
  }
}
