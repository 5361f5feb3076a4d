package import CofferFormat
internal import CofferPlatform
internal import CofferStore

/// What syncs have found wrong and no person has read: each with the time at which it was found first.
///
/// A sync repairs what it finds, so the next sync does not find it again. Without this list, what a sync in the
/// background has found, or one that was killed, would never reach a person.
package struct UnreadProblems: Sendable, SettingValue {
  package private(set) var problems: [SyncProblem] = []

  /// The number of problems of each kind up to which they are kept: a host that causes any number of one kind hides
  /// none of another.
  package static let countOfEachKind = 20

  private static let maximumCount = 200

  package init() {}

  package init?(stored: [UInt8]) {
    guard let problems = try? JSONDecoder().decode([SyncProblem].self, from: Data(stored)) else { return nil }
    // Another program of the user can have written them.
    self.problems = problems.prefix(Self.maximumCount).map(\.sanitized)
  }

  package var stored: [UInt8] { problems.isEmpty ? [] : (try? JSONEncoder().encode(problems)).map(Array.init) ?? [] }

  /// Adds what a sync has found.
  package mutating func insert(_ found: [SyncProblem], at time: Timestamp) {
    for problem in found where problem.found == nil && !problems.contains(where: problem.isSame(as:)) {
      let same = problems.count { $0.kind == problem.kind }
      guard same <= Self.countOfEachKind else { continue }
      let more = SyncProblem(problem.kind, "syncs have found more problems of this kind than are listed here")
      problems.append((same < Self.countOfEachKind ? problem : more).found(at: time))
    }
  }

  /// Changes the list in a store.
  static func change(in writer: borrowing StoreWriter, _ change: (inout UnreadProblems) -> Void) throws(StoreError) {
    var unread = try writer.value(.unreadProblems) ?? UnreadProblems()
    change(&unread)
    try writer.set(.unreadProblems, to: unread)
  }

  /// Removes what a person has read.
  package mutating func remove(_ read: [SyncProblem]) {
    problems.removeAll { problem in read.contains(where: problem.isSame(as:)) }
  }
}

extension LocalVault {
  /// Returns what syncs have found wrong and no person has read.
  package func unreadProblems() throws(VaultError) -> UnreadProblems {
    try translatingErrors { try store.read { try $0.value(.unreadProblems) } } ?? UnreadProblems()
  }

  /// Keeps what a sync has found until a person has read it.
  package func keep(_ found: [SyncProblem]) throws(VaultError) {
    // Most syncs find nothing new, and the disk acknowledges each transaction.
    let known = try unreadProblems()
    var new = known
    new.insert(found, at: .now)
    guard new.problems.count > known.problems.count else { return }
    try changeUnreadProblems { $0.insert(found, at: .now) }
  }

  /// Forgets problems that a person has read.
  package func markRead(_ problems: [SyncProblem]) throws(VaultError) {
    guard !problems.isEmpty else { return }
    try changeUnreadProblems { $0.remove(problems) }
  }

  private func changeUnreadProblems(_ change: (inout UnreadProblems) -> Void) throws(VaultError) {
    try translatingErrors {
      try store.write { try UnreadProblems.change(in: $0, change) }
    }
  }
}
