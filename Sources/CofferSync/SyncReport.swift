/// What a sync did.
package struct SyncReport: Sendable, Encodable {
  /// The remote's URL.
  package let remote: String
  /// Records taken in from other machines.
  package var recordsReceived = 0
  /// Records of this machine that are on the remote now.
  package var recordsSent = 0
  /// Entries of the membership log taken in.
  package var membershipReceived = 0
  /// Entries of the membership log that are on the remote now.
  package var membershipSent = 0
  /// Entries made here whose place another machine's took: they are gone, and what made them has to be done again.
  package var membershipDiscarded = 0
  /// Records that wait for an author this machine does not know yet.
  package var recordsPending = 0
  /// What the remote should not hold, or should hold and does not, in words, each once. Empty for an honest remote. A hundred at
  /// most: a hostile one can make any number.
  package private(set) var problems: [String] = []
  /// How many of the missing or altered objects were put back.
  package var repaired = 0
  /// True where a copy of this machine has written under its name.
  package var isClonedDevice = false

  private static let mostProblems = 100

  /// Adds a problem. False where it is there already (a sync that lost a race looks at the same remote again), or where there are
  /// as many as are told.
  @discardableResult
  mutating func add(_ problem: String) -> Bool {
    guard problems.count < Self.mostProblems, !problems.contains(problem) else { return false }
    problems.append(problem)
    return true
  }

  /// Nothing was done yet.
  package init(remote: String) { self.remote = remote }

  /// True where nothing had to be moved.
  package var isUnchanged: Bool {
    recordsReceived + recordsSent + membershipReceived + membershipSent + repaired == 0
  }
}
