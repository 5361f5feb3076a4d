import CofferExchange
import CofferGit

/// A git host: the objects that machines have pushed, and the branches that it shows.
final class WorldHost {
  typealias References = [String: ObjectID]

  let objects: Repository
  /// What honest machines are shown.
  private(set) var references: References
  /// What it was after each change.
  private(set) var past: [References]
  /// The writes that each commit is known to contain.
  private(set) var contents: [ObjectID: Set<Int>] = [:]
  /// Whether it has ever shown a machine something else than the truth.
  var isHonest = true

  /// Copies a host.
  init(copying other: WorldHost?) throws {
    objects = try .inMemory()
    references = other?.references ?? [:]
    past = [references]
    for tip in references.values { if let other { try objects.copy(tip, from: other.objects) } }
  }

  /// Sets a branch to a commit that was pushed to it, which contains the writes of the commit before and these.
  func move(_ name: String, to commit: ObjectID, adding writes: Set<Int>, in view: inout References?) {
    let before = (view ?? references)[name]
    contents[commit] = (before.flatMap { contents[$0] } ?? []).union(writes).union(contents[commit] ?? [])
    if view != nil { view?[name] = commit } else { set { $0[name] = commit } }
  }

  func remove(_ names: [String], in view: inout References?) {
    for name in names {
      if view != nil { view?[name] = nil } else { set { $0[name] = nil } }
    }
  }

  /// Shows the machines something else from now on.
  func set(_ change: (inout References) -> Void) {
    change(&references)
    past.append(references)
  }
}
