import CTestFaults
import Coffer
import CofferFormat
import CofferSystem
import CofferTestSupport
import CofferVault
import Foundation

/// Syncs and ends of epochs, whole or cut short.
extension World {
  /// Syncs, with what can happen to a sync.
  func sync(_ machine: WorldMachine) throws {
    switch number(below: 100) {
    case ..<12: try killedSync(machine)
    case ..<20:
      try cutting(machine.link, within: 4) { try plainSync(machine, "cut sync", mayFail: true) }
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

  /// Runs `body` while the network fails after some requests, fewer than `count`.
  func cutting(_ link: WorldLink, within count: Int, _ body: () throws -> Void) rethrows {
    link.requestsUntilCut = number(below: count)
    try body()
    (link.requestsUntilCut, link.isCut) = (nil, false)
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
  func restart(
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
  func check(_ report: SyncReport, of machine: WorldMachine) throws {
    // What a machine had not sent by keys that a removed admin knows is refused, and named.
    let isRefusalDue = counts["give again"] != nil
    let blame = report.problems.first { !$0.isOfMachine && !(isRefusalDue && $0.kind == .refused) }
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

  func compact() throws {
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
  func compactAndDie(_ machine: WorldMachine, keepingBranch keepsBranch: Bool) throws {
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
}
