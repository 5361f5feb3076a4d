internal import CofferFormat
internal import CofferGit

/// What a sync has found on the branches of other epochs, after it has imported their logs.
struct ExaminedBranches {
  let branches: OtherBranches
  /// The branches of this epoch and of later ones that have been opened, by whomever, the latest first.
  var opened: [(branch: EpochBranch, tip: ObjectID)] = []
  /// The log entries that they have brought.
  var logPlaces: Set<RemoteLayout.Place> = []
  /// The commits that need not be examined again.
  private(set) var finished: [ObjectID] = []

  init(_ branches: OtherBranches) { self.branches = branches }

  mutating func finish(_ tip: ObjectID) { finished.append(tip) }
}
