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
    case ..<430: try write(item, on: machine)
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

  /// Changes an item, and kills the machine while it does so now and then.
  func change(_ item: Int, to value: String?, on machine: WorldMachine) throws {
    changeCount += 1
    let seen = try machine.values(of: item)
    var failure: (any Error)?
    var isChanged = true
    func change() {
      do {
        try act(machine) { if let value { try machine.set(value, item) } else { isChanged = try machine.delete(item) } }
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
    let what = "\(item) to \(value ?? "nothing") on \(machine.name), which saw \(words(seen))"
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
      note(value == nil ? "delete" : "set", what)
    }
    let write = model.write(
      value, to: item, seeing: seen, knowing: machine.known, isForbidden: machine.isRemoved,
      hiddenFrom: Set(try machine.heardRemovals(of: removed).map(\.name)))
    machine.known.insert(write)
    machine.own.insert(write)
  }

  /// Runs `body` while one of the next calls fails that change files, or open them. Returns whether it has.
  private func failingDisk(within count: Int, _ body: () throws -> Void) rethrows -> Bool {
    coffer_test_fail_call(Int32(1 + number(below: count)), chance(50) ? EIO : ENOSPC)
    defer { _ = coffer_test_end_failing() }
    try body()
    return coffer_test_end_failing() != 0
  }

  // MARK: Syncs

  /// Syncs, with what can happen to a sync.
  private func sync(_ machine: WorldMachine) throws {
    switch number(below: 100) {
    case ..<12: try killedSync(machine)
    case ..<20:
      machine.link.requestsUntilCut = number(below: 4)
      try plainSync(machine, "cut sync", mayFail: true)
      machine.link.requestsUntilCut = nil
      machine.link.isCut = false
    case ..<24:
      let hasFailed = try calmly {
        try failingDisk(within: chance(50) ? 60 : 600) {
          try plainSync(machine, "sync on a failing disk", mayFail: true)
        }
      }
      if hasFailed, chance(50) { try machine.reopen() }
    case ..<30:
      machine.link.losesAnswer = true
      try plainSync(machine, "sync without answer", mayFail: true)
      machine.link.losesAnswer = false
    case ..<38:
      // After some lost races, it leaves its segments in a lane.
      let isCrowd = chance(25)
      try racing(machine, isWriting: isCrowd, Array(repeating: true, count: isCrowd ? 6 : 1)) {
        try plainSync(machine, isCrowd ? "sync in a crowd" : "sync in a race", mayFail: false)
      }
    default: try plainSync(machine, "sync", mayFail: false)
    }
  }

  func plainSync(_ machine: WorldMachine, _ kind: String, mayFail: Bool) throws {
    if let rival = rival(among: others(than: machine), 15) {
      return try racingFetches(of: machine.link, against: rival) {
        try plainSync(machine, "\(kind) in a race", mayFail: mayFail)
      }
    }
    // Others may give an app to a machine that is away.
    try machine.setRemote()
    machine.link.forgetsPush = isForgetful && chance(5)
    try finish(kind, of: machine, Result { try act(machine) { try machine.sync() } }, mayFail: mayFail)
  }

  /// Checks how a sync has ended, and what it has reported.
  private func finish(
    _ kind: String, of machine: WorldMachine, _ outcome: Result<SyncReport, any Error>, mayFail: Bool
  ) throws {
    do {
      let report = try outcome.get()
      // Without the segment before it, a version does not say which ones it replaces beyond its own predecessor.
      machine.mayShowReplaced = report.problems.contains { $0.found == nil && $0.namesGap }
      let problem = report.problems.first.map { ": \($0.message)" } ?? ""
      let counts = "+\(report.recordsReceived) -\(report.recordsSent), repaired \(report.repaired)"
      note(kind, "\(machine.name): \(counts), epoch \(report.epoch)\(problem)")
      try check(report, of: machine)
      try machine.read(report)
    } catch  where !(error is WorldFault) {
      machine.mayShowReplaced = try isBehind(machine)
      note("failed \(kind)", "\(machine.name): \(error)")
      guard mayFail || !host.isHonest else { throw WorldFault("the sync of \(machine.name) failed: \(error)") }
    }
  }

  /// Whether a machine does not follow the branch of the latest epoch, so that a sync which was interrupted may have
  /// begun to.
  private func isBehind(_ machine: WorldMachine) throws -> Bool {
    let branch = try machine.branch
    return host.references.keys.contains { WorldHost.isEpoch($0) && $0 != branch }
  }

  private func killedSync(_ machine: WorldMachine) throws {
    let (known, branch) = (machine.known, try machine.branch)
    var outcome: Result<SyncReport, any Error>?
    func sync() { outcome = Result { try act(machine) { try machine.sync() } } }
    let remains =
      chance(30)
      ? try machine.killing(at: 1 + number(below: 3), of: [.pushSent, .pushAccepted, .pushRecorded], sync)
      : try machine.killing(at: 1 + number(below: chance(50) ? 8 : 80), sync)
    guard let remains else {
      if let outcome { try finish("sync", of: machine, outcome, mayFail: false) }
      return
    }
    try restart(machine, from: remains, knowing: known, following: branch)
    note("killed sync", "\(machine.name) at \(remains.point)")
  }

  /// Starts a machine again that was killed during a sync, before which it knew some writes and followed a branch.
  private func restart(
    _ machine: WorldMachine, from remains: WorldMachine.Remains, knowing known: Set<Int>, following branch: String
  ) throws {
    // If it has repaired what it has seen, no later sync can find that again.
    if machine.link.references[branch] != machine.link.shown[branch] {
      machine.unnamedHarm = harm(on: branch, shownTo: machine) ?? machine.unnamedHarm
    }
    machine.known = known
    try machine.restart(from: remains)
    machine.mayShowReplaced = try isBehind(machine)
  }

  /// Checks what a sync has reported.
  private func check(_ report: SyncReport, of machine: WorldMachine) throws {
    // What a machine had not sent by keys that a removed admin knows is refused, and named.
    let isRefusalDue = counts["give again"] != nil
    let blame = report.problems.first { !$0.isOfDisk && !(isRefusalDue && $0.kind == .refused) }
    if host.isHonest, let problem = blame {
      throw WorldFault("\(machine.name) blames an honest host: \(problem.message)")
    }
    // Whatever keeps drafts of the log back is the host's fault, and was named as a problem.
    if host.isHonest, let obstacle = report.membershipObstacle {
      throw WorldFault("\(machine.name) keeps its entries of the log back from an honest host: \(obstacle)")
    }
    if report.isClonedDevice {
      guard machine.wasRestored || machine.isCopied else {
        throw WorldFault("\(machine.name) believes that it has a copy")
      }
      // An honest host shows a machine at once all that it has sent before it was set back.
      if host.isHonest { machine.wasRestored = false }
    }
    let harm = try machine.unnamedHarm ?? harm(on: machine.branch, shownTo: machine)
    if let harm, !report.problems.contains(where: \.blamesHost) {
      throw WorldFault("\(machine.name) was shown \(harm), and has not said so")
    }
    machine.unnamedHarm = nil
  }

  private func compact() throws {
    let admins = machines.filter { $0.isAdmin && !isAway($0) }
    guard !admins.isEmpty else { return }
    let machine = generator.pick(admins)
    let keepsBranch = chance(30)
    if chance(20) {
      _ = try killedCompact(machine, at: 1 + number(below: 80), keepingBranch: keepsBranch)
      return
    }
    if let rival = rival(among: others(than: machine), 30) {
      return try racingFetches(of: machine.link, against: rival) {
        try compact(machine, keepingBranch: keepsBranch)
      }
    }
    guard chance(50) else { return try compact(machine, keepingBranch: keepsBranch) }
    // It pushes the next branch in parts, and then the end of this one.
    let pushes = Array(repeating: false, count: number(below: 5)) + [true]
    let isLast = chance(20)
    try racing(machine, isWriting: true, isLast: isLast, pushes) {
      if isLast {
        try compactAndDie(machine, keepingBranch: keepsBranch)
      } else {
        try compact(machine, keepingBranch: keepsBranch)
      }
    }
  }

  /// Kills a machine right after it has ended the epoch, and loses it: the next branch must already have what others
  /// pushed meanwhile.
  private func compactAndDie(_ machine: WorldMachine, keepingBranch keepsBranch: Bool) throws {
    let points: Set<FaultPoint> = [.epochClosed, .epochOpened]
    guard try killedCompact(machine, at: 1, of: points, keepingBranch: keepsBranch) else { return }
    machine.link.beforePush = []
    if chance(30) {
      // It comes back, and loses the race to open the next branch to a machine that ends that one, too. What it sends
      // must not be on a branch that nobody follows.
      try write(number(below: Self.itemCount), on: machine)
      try racing(machine, isWriting: false, compacts: true, [true]) {
        try plainSync(machine, "sync in a race", mayFail: false)
      }
    }
    try lose(machine)
  }

  /// Kills a machine at the step with this number, of some kinds or of all, while it begins an epoch. Returns false if
  /// it took fewer steps.
  private func killedCompact(
    _ machine: WorldMachine, at number: Int, of points: Set<FaultPoint>? = nil, keepingBranch keepsBranch: Bool
  ) throws -> Bool {
    let (known, branch) = (machine.known, try machine.branch)
    var failure: (any Error)?
    let remains = try machine.killing(at: number, of: points) {
      do { _ = try act(machine) { try machine.compact(keepingBranch: keepsBranch) } } catch { failure = error }
    }
    guard let remains else {
      note(failure == nil ? "compact" : "failed compact", "\(machine.name) \(failure.map { "\($0)" } ?? "")")
      return false
    }
    try restart(machine, from: remains, knowing: known, following: branch)
    note("killed compact", "\(machine.name) at \(remains.point)")
    return true
  }

  func compact(_ machine: WorldMachine, keepingBranch keepsBranch: Bool) throws {
    do {
      let report = try act(machine) { try machine.compact(keepingBranch: keepsBranch) }
      note("compact", "\(machine.name) to epoch \(report.epoch)")
    } catch let error as VaultError {
      note("failed compact", "\(machine.name): \(error)")
      // Another machine may have begun the next epoch.
      guard !host.isHonest || !machine.link.beforePush.isEmpty || error.code == .network else {
        throw WorldFault("compact on \(machine.name) failed: \(error)")
      }
    }
  }

  // MARK: Comparisons

  /// A machine that was removed reads nothing that was written by those who had heard of it.
  func compareRemoved(_ machine: WorldMachine) throws {
    for values in try machine.allValues() {
      if let leak = model.leak(of: values, to: machine.name) { throw WorldFault(leak) }
    }
  }

  /// Checks the store of a machine, and what it derives from it.
  private func check(_ machine: WorldMachine) throws {
    let report = try VaultCheck.open(machine.folder).run()
    guard report.isEmpty else {
      throw WorldFault("the check of \(machine.name) finds: \(report.lines.joined(separator: "; "))")
    }
  }

  func compare(_ machine: WorldMachine) throws {
    let excused = try host.isHonest ? [] : machine.unheardWrites(of: removed)
    for (item, found) in try machine.allValues().enumerated() {
      let fault = model.fault(
        of: item, showing: found, knowing: machine.known, making: machine.own, mayReturn: machine.mayShowReplaced,
        excusing: excused)
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
      host = try WorldHost(copying: nil)
      host.isHonest = wasHonest
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
      let values = try machines[0].values(of: item)
      for machine in machines {
        let found = try machine.values(of: item)
        // A machine that has joined again knows what its versions have replaced, and others may not.
        guard found == values || counts["rejoin"] != nil, try machine.value(of: item) == machines[0].value(of: item)
        else {
          throw WorldFault(
            "\(machine.name) has \(words(found)) in item \(item), and \(machines[0].name) \(words(values))")
        }
        if let fault = model.fault(
          of: item, showing: found, knowing: known, making: machine.own, mayReturn: counts["rejoin"] != nil)
        {
          throw WorldFault("\(machine.name), item \(item) at the end: \(fault); it has \(words(found))")
        }
      }
    }
    for machine in removed { try compareRemoved(machine) }
    for machine in machines + removed { try check(machine) }
  }
}
