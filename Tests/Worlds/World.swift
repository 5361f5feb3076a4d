import CTestFaults
import Coffer
import CofferFormat
import CofferSystem
import CofferTestSupport
import CofferVault
import Foundation

/// Some machines of one vault, their host and their network: the seed decides everything that happens.
final class World {
  static let itemCount = 6
  /// When a world begins: in January 2027.
  static let start = Timestamp(microseconds: 1_800_000_000_000_000)

  private let seed: UInt64
  let template: WorldTemplate
  let folder: URL
  private(set) var host: WorldHost
  var generator: SeededGenerator
  var machines: [WorldMachine] = []
  /// Machines that were removed and may not know it.
  var removed: [WorldMachine] = []
  var model = WorldModel()
  var step = 0
  var changeCount = 0
  /// Whether the host does more than lose connections.
  let isHostile: Bool
  /// The hours from one step to the next; 0 if it is a second. In a long world, versions are superseded for longer than
  /// the history keeps them, which is 30 days.
  private let hoursPerStep: Int
  /// Whether the host forgets pushes, although nobody knows it.
  var isForgetful = false
  /// Whether others also act between two fetches of one sync.
  var hasFetchRaces = false
  /// Whether they do not for now.
  var isCalm = false
  /// Whether the trace has what machines ask of the host.
  var showsRequests = false
  /// What has happened, in words.
  private(set) var trace: [String] = []
  private(set) var counts: [String: Int] = [:]

  init(seed: UInt64, _ template: WorldTemplate, in folder: URL) throws {
    self.seed = seed
    self.template = template
    self.folder = folder
    generator = SeededGenerator(seed: seed)
    SeededSodium.begin(seed: seed)
    isHostile = generator.chance(50)
    hoursPerStep = generator.chance(50) ? Int.random(in: 4...12, using: &generator) : 0
    host = try WorldHost(copying: template.host)
    host.keepsBranches = generator.chance(15)
    for (name, isAdmin) in WorldTemplate.machines {
      machines.append(
        try WorldMachine(
          named: name, on: template.copy(name, to: folder), link: WorldLink(to: host), isAdmin: isAdmin))
    }
  }

  /// Takes steps, lets all machines meet under an honest host, and compares everything. Steps can be skipped: what a
  /// step does follows from the seed and its number. Throws what must not happen.
  func run(stepCount: Int, skipping skipped: Set<Int> = []) throws {
    if hoursPerStep > 0 { note("long world", "with \(hoursPerStep) hours for each step") }
    while step < stepCount {
      step += 1
      guard !skipped.contains(step) else { continue }
      if showsRequests { traceRequests() }
      generator = SeededGenerator(seed: seed &+ UInt64(step) &* 0xD1B5_4A32_D192_ED03)
      SeededSodium.begin(seed: generator.next())
      try Timestamp.withClock(at: now) { try takeStep() }
    }
    try Timestamp.withClock(at: now) { try calmly { try converge() } }
  }

  /// The time by a clock that is right. It follows from the number of the step: another one can be left out.
  private var now: Timestamp {
    let seconds = step * max(hoursPerStep * 3_600, 1)
    return Timestamp(microseconds: Self.start.microseconds + Int64(seconds) * 1_000_000)
  }

  func note(_ kind: String, _ detail: String = "") {
    counts[kind, default: 0] += 1
    trace.append("\(step): \(kind)\(detail.isEmpty ? "" : " ")\(detail)")
  }

  private func traceRequests() {
    for machine in machines + removed { traceRequests(of: machine.name, over: machine.link) }
  }

  func traceRequests(of name: String, over link: WorldLink) {
    link.say = { [unowned self] in trace.append("\(step):   \(name) \($0)") }
  }

  func words(_ values: Set<String?>) -> String {
    values.map { $0 ?? "nothing" }.sorted().joined(separator: ", ")
  }

  func chance(_ percent: Int) -> Bool { generator.chance(percent) }

  func number(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

  // MARK: Steps

  private func takeStep() throws {
    for machine in machines + removed where !isAway(machine) { try machine.setRemote() }
    let machine = generator.pick(machines)
    let item = number(below: Self.itemCount)
    switch number(below: 1_000) {
    case ..<400: try write(item, on: machine)
    case ..<430: try change(item, to: "v\(step)", on: machine, staysHere: !machine.keeps(item))
    case ..<500: try delete(item, on: machine)
    case ..<870: try isAway(machine) ? write(item, on: machine) : sync(machine)
    case ..<890: try compact()
    case ..<900: try replace()
    case ..<925: try syncRemoved()
    case ..<930:
      note("clock", "\(machine.name)")
      machine.clockError = number(below: 4) == 0 ? 0 : number(below: 400_000) - 200_000
    case ..<935:
      note("cache lost", machine.name)
      try machine.link.forgetCache()
    case ..<940:
      note("restart", machine.name)
      try machine.reopen()
    case ..<948: try restore(machine)
    case ..<951: try calmly { try deceiveNewcomer() }
    case ..<954: try invite()
    case ..<956: try backUp(machine)
    case ..<957: try copy(machine)
    case ..<958: try calmly { try removeSigners() }
    case ..<960:
      if !isAway(machine) { try plainSync(machine, "sync", mayFail: true) }
      try lose(machine)
    case ..<963:
      machine.awayUntil = step + 20 + number(below: 80)
      // A machine without a remote forgets what the host has shown it, and could not name it.
      let isWithoutRemote = try !isHostile && chance(70) && machine.removeRemote()
      note(isWithoutRemote ? "away without a remote" : "away", machine.name)
    case ..<966: try calmly { try makePeace() }
    default: if isHostile { try harm(machine) }
    }
    try compare(machine)
    if let reader = try machine.reader(among: removed) {
      throw WorldFault("\(reader.name) was removed, as \(machine.name) knows, and has the key of what it writes")
    }
    if chance(2) { try check(machine) }
  }

  /// Whether a machine reaches no network, for example because its owner travels without it.
  func isAway(_ machine: WorldMachine) -> Bool { machine.awayUntil > step }

  func act<Result>(_ machine: WorldMachine, _ body: () throws -> Result) rethrows -> Result {
    try machine.byItsClock(at: now, body)
  }

  func write(_ item: Int, on machine: WorldMachine) throws {
    try change(item, to: "v\(step)", on: machine)
  }

  func delete(_ item: Int, on machine: WorldMachine) throws {
    guard try machine.values(of: item) != [nil] else { return note("nothing to delete", machine.name) }
    try change(item, to: nil, on: machine)
  }

  /// Changes an item, and whether it stays on its machine, and kills the machine while it does so now and then.
  func change(_ item: Int, to value: String?, on machine: WorldMachine, staysHere: Bool? = nil) throws {
    changeCount += 1
    let seen = try machine.values(of: item)
    let isKept = try value == nil ? model.values(seen, thatStay: true) == seen : staysHere ?? machine.keeps(item)
    var failure: (any Error)?
    var isChanged = true
    func change() {
      do {
        try act(machine) {
          guard let value else { return isChanged = try machine.delete(item) }
          try machine.set(value, item, staysHere: staysHere)
        }
      } catch {
        failure = error
      }
    }
    let remains = chance(4) ? try machine.killing(at: 1 + number(below: 2), change) : nil
    var hasDiskFailed = false
    if remains == nil, chance(4) {
      hasDiskFailed = failingDisk(within: 20, change)
    } else if remains == nil {
      change()
    }
    let kind = isKept ? "\(item), which stays here," : "\(item)"
    let what = "\(kind) to \(value ?? "nothing") on \(machine.name), which saw \(words(seen))"
    if remains != nil || hasDiskFailed && failure != nil {
      if let remains { try machine.restart(from: remains) } else if chance(50) { try machine.reopen() }
      // Nobody was told that it is done, but it may be.
      let found = try machine.values(of: item)
      let isDone = value.map { found.contains($0) } ?? (found == [nil])
      let cause = remains.map { "killed at \($0.point)" } ?? "\(failure.map { "\($0)" } ?? "")"
      note(remains == nil ? "failed change" : "killed change", "\(what), \(isDone ? "done" : "not done"): \(cause)")
      guard isDone else { return }
    } else {
      if let error = failure as? VaultError, error.code == .notEntitled, machine.isRemoved {
        return note("refused change", what)
      }
      guard isChanged else {
        // Of an item in conflict, the deletion may be the version that counts. No other item is left as it is.
        guard seen.contains(nil), try machine.value(of: item) == nil else {
          throw WorldFault("\(machine.name) has not deleted item \(item), which has \(words(seen))")
        }
        return note("nothing to delete", what)
      }
      if let failure { throw WorldFault("change of \(what): \(failure)") }
      note(value == nil ? "delete" : isKept ? "keep" : "set", what)
    }
    try record(value, of: item, by: machine, seeing: seen, isKept: isKept)
  }

  /// Records a write that is done.
  private func record(
    _ value: String?, of item: Int, by machine: WorldMachine, seeing seen: Set<String?>, isKept: Bool
  ) throws {
    let hidden = try isKept ? [] : Set(machine.heardRemovals(of: removed).map(\.name))
    // An item that others have and that stays here from now on is deleted for these first.
    let isTakenBack = isKept && !model.values(seen, thatStay: false).isEmpty
    if isTakenBack { try record(nil, of: item, by: machine, seeing: seen, isKept: false) }
    let write = model.write(
      value, to: item, seeing: isTakenBack ? [nil] : seen, knowing: machine.known.union(machine.kept),
      isForbidden: machine.isRemoved, isKept: isKept, hiddenFrom: hidden)
    if isKept {
      machine.kept.insert(write)
    } else {
      machine.known.insert(write)
      machine.own.insert(write)
    }
  }

  /// Runs `body` while one of the next calls fails that change files, or open them. Returns whether it has.
  func failingDisk(within count: Int, _ body: () throws -> Void) rethrows -> Bool {
    coffer_test_fail_call(Int32(1 + number(below: count)), chance(50) ? EIO : ENOSPC)
    defer { _ = coffer_test_end_failing() }
    try body()
    return coffer_test_end_failing() != 0
  }

  // MARK: Comparisons

  /// A machine that was removed reads nothing that was written by those who had heard of it.
  func compareRemoved(_ machine: WorldMachine) throws {
    for values in try machine.allValues() {
      if let leak = model.leak(of: values, to: machine.name) { throw WorldFault(leak) }
    }
  }

  /// Checks the store of a machine, and what it derives from it.
  func check(_ machine: WorldMachine) throws {
    let report = try VaultCheck.open(machine.folder).run()
    guard report.isEmpty else {
      throw WorldFault("the check of \(machine.name) finds: \(report.lines.joined(separator: "; "))")
    }
  }

  func compare(_ machine: WorldMachine) throws {
    let excused = try host.isHonest ? [] : machine.unheardWrites(of: removed)
    for (item, found) in try machine.allValues().enumerated() {
      let fault = model.fault(
        of: item, showing: found, knowing: machine.known, making: machine.own, keeping: machine.kept,
        lackingKept: machine.lacksKept, mayReturn: machine.mayShowReplaced, excusing: excused)
      if let fault {
        throw WorldFault("\(machine.name), item \(item): \(fault); it has \(words(found))")
      }
    }
  }

  /// Checks that machines which have met have nothing left to exchange, and follow the same log and the same branch.
  private func checkRest() throws {
    for machine in machines {
      let report = try act(machine) { try machine.sync() }
      try check(report, of: machine)
      guard report.isUnchanged else {
        let records = "+\(report.recordsReceived) -\(report.recordsSent) (\(report.recordsInLanes) in lanes)"
        let entries = "+\(report.membershipReceived) -\(report.membershipSent) entries"
        let others = "repaired \(report.repaired), removed \(report.removed), \(report.epochs) epochs"
        throw WorldFault("all machines have met, and \(machine.name) goes on: \(records), \(entries), \(others)")
      }
    }
    let lanes = host.references.keys.filter { $0.hasPrefix("refs/heads/lane-") }
    guard lanes.isEmpty || host.keepsBranches else {
      throw WorldFault("all machines have met, and have left \(lanes.sorted().joined(separator: ", "))")
    }
    let (ends, branches) = (try machines.map { try $0.logEnd }, try machines.map { try $0.branch })
    guard Set(ends).count == 1, Set(branches).count == 1 else {
      let words = machines.indices.map {
        "\(machines[$0].name) \(branches[$0]) with \(ends[$0].sequence) entries"
      }
      throw WorldFault("all machines have met, and have other branches or logs: \(words.joined(separator: ", "))")
    }
  }

  /// Lets all machines meet under an honest host, and compares everything.
  private func converge() throws {
    for machine in machines + removed {
      machine.link.view = nil
      machine.clockError = 0
      try machine.setRemote()
    }
    let wasHonest = host.isHonest
    note("converge")
    let rounds = wasHonest ? 2 : 5
    for round in 0..<rounds { for machine in machines { try plainSync(machine, "sync \(round)", mayFail: !wasHonest) } }
    // Machines that a host has led to different branches of one epoch cannot follow each other. They say so, and what
    // their owner has to do.
    func advises(_ machine: WorldMachine, _ advice: (SyncProblem) -> Bool) throws -> Bool {
      try act(machine) { try machine.sync() }.problems.contains(where: advice)
    }
    for machine in machines where try advises(machine, \.asksToRejoin) {
      note("rejoin", machine.name)
      try act(machine) { try machine.rejoin() }
      for machine in machines { try plainSync(machine, "sync", mayFail: true) }
    }
    // If nobody can push again the branch on which the vault continues, its owner does what the machines say.
    if try machines.contains(where: { try advises($0, \.asksForRepository) }) {
      note("new repository")
      let keepsBranches = host.keepsBranches
      host = try WorldHost(copying: nil)
      (host.isHonest, host.keepsBranches) = (wasHonest, keepsBranches)
      for machine in machines { try machine.moveToNewRepository(at: host) }
      for _ in 0..<3 { for machine in machines { try plainSync(machine, "sync", mayFail: false) } }
    }
    if wasHonest { try checkRest() }
    let known = machines.reduce(into: Set<Int>()) { $0.formUnion($1.known) }
    // A machine that has only what the host has sees the same: no other machine has the only copy of anything.
    let newcomer = try newcomer(named: "newcomer", over: WorldLink(to: host))
    try plainSync(newcomer, "sync", mayFail: !wasHonest)
    machines.append(newcomer)
    // From the history of the branch, it may have brought back what no machine had any more.
    if !wasHonest { for machine in machines { try plainSync(machine, "sync", mayFail: true) } }
    for item in 0..<Self.itemCount {
      let values = try newcomer.values(of: item)
      for machine in machines {
        let found = try machine.values(of: item)
        // A machine that has joined again knows what its versions have replaced, and others may not.
        let isSame =
          try (found == values || counts["rejoin"] != nil) && machine.value(of: item) == newcomer.value(of: item)
        // What has stayed here is here alone, and so are deletions of that.
        guard isSame || model.concern(item, machine.kept) else {
          throw WorldFault(
            "\(machine.name) has \(words(found)) in item \(item), and \(newcomer.name) \(words(values))")
        }
        if let fault = model.fault(
          of: item, showing: found, knowing: known, making: machine.own, keeping: machine.kept,
          lackingKept: machine.lacksKept, mayReturn: counts["rejoin"] != nil)
        {
          throw WorldFault("\(machine.name), item \(item) at the end: \(fault); it has \(words(found))")
        }
      }
    }
    for machine in removed { try compareRemoved(machine) }
    for machine in machines + removed { try check(machine) }
  }
}
