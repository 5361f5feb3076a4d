import CofferTestSupport

/// What other machines do while one of them syncs.
extension World {
  /// Returns one of some machines that acts between the next fetches of another; nil for none.
  func rival(among machines: [WorldMachine], _ percent: Int) -> WorldMachine? {
    !machines.isEmpty && hasFetchRaces && !isCalm && chance(percent) ? generator.pick(machines) : nil
  }

  func others(than machine: WorldMachine) -> [WorldMachine] { machines.filter { $0 !== machine && !isAway($0) } }

  /// Runs `body` without races between fetches.
  func calmly<Result>(_ body: () throws -> Result) rethrows -> Result {
    let wasCalm = isCalm
    isCalm = true
    defer { isCalm = wasCalm }
    return try body()
  }

  /// Before which fetches of a sync others act: not before the first one, as if they had acted before the sync.
  private var fetchRaces: [Bool] { [false] + (0..<3).map { _ in chance(50) } }

  /// Runs `body` while another machine acts between the fetches of this one.
  func racingFetches<Result>(
    of link: WorldLink, against other: WorldMachine, _ body: () throws -> Result
  ) throws -> Result {
    try calmly {
      try racing(
        link, against: other, isWriting: chance(30), compacts: chance(50), fetchRaces, before: \.beforeFetch, body)
    }
  }

  /// Runs `body` while another machine syncs before some of the next pushes of this one, after a change if `isWriting`.
  /// An admin's machine sometimes begins an epoch instead, and always with `compacts`. With `isLast`, the other machine
  /// is lost afterwards.
  func racing(
    _ machine: WorldMachine, isWriting: Bool, compacts: Bool = false, isLast: Bool = false, _ pushes: [Bool],
    _ body: () throws -> Void
  ) throws {
    let others = others(than: machine)
    guard !others.isEmpty else { return try body() }
    let other = generator.pick(others)
    try racing(
      machine.link, against: other, isWriting: isWriting, compacts: compacts, pushes, before: \.beforePush, body)
    if isLast { try lose(other) }
  }

  private func racing<Result>(
    _ link: WorldLink, against other: WorldMachine, isWriting: Bool, compacts: Bool, _ races: [Bool],
    before place: ReferenceWritableKeyPath<WorldLink, [() -> Void]>, _ body: () throws -> Result
  ) throws -> Result {
    var fault: (any Error)?
    link[keyPath: place] = races.map { isRace in
      guard isRace else { return {} }
      return { [self] in
        do {
          try calmly {
            if isWriting { try change(number(below: Self.itemCount), to: "v\(step).\(changeCount)", on: other) }
            if other.isAdmin, compacts || chance(10) {
              try compact(other, keepingBranch: chance(30))
            } else {
              try plainSync(other, "racing sync", mayFail: false)
            }
          }
        } catch { fault = fault ?? error }
      }
    }
    defer { link[keyPath: place] = [] }
    let result = try body()
    if let fault { throw fault }
    return result
  }
}
