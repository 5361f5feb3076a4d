import Coffer
import CofferAdministration
import CofferFormat
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation

/// Machines that come and go, and what the host does that an honest one never does.
extension World {
  /// Removes a machine, with what it has not sent, and lets another one join. A copy of the machine is removed with it.
  func replace() throws {
    let machine = generator.pick(machines)
    let id = try machine.id
    let others = try machines.filter { try $0.id != id && $0.link.view == nil && !isAway($0) }
    let admins = others.filter(\.isAdmin)
    guard machines.count > 2, host.isHonest, !admins.isEmpty else { return }
    let admin = generator.pick(admins)
    // With the vault key, it can be any machine of the vault.
    var remover = chance(50) ? generator.pick(others) : admin
    try learn(remover)
    do {
      _ = try act(remover) { try Removal(of: .machines([id]), from: remover.local).preview() }
    } catch let error as VaultError where error.code == .notEntitled && !remover.isAdmin {
      // The machine has begun the epoch.
      remover = admin
      try learn(remover)
    }
    try remove(id, by: remover, admin)
    try join(isAdmin: machine.isAdmin)
  }

  /// Removes the machine with these keys and its copies, and lets an admin's machine give apps to others again that
  /// have to get other keys.
  private func remove(_ id: DeviceID, by remover: WorldMachine, _ admin: WorldMachine) throws {
    let leaving = try machines.filter { try $0.id == id }
    for machine in leaving { machine.lastView = host.references }
    let preview = try act(remover) { try Removal(of: .machines([id]), from: remover.local).preview() }
    func run() throws {
      try act(remover) {
        let removal = Removal(of: .machines([id]), from: remover.local)
        _ = try removal.preview()
        try remover.publication.change(remover.local) { (attempt) throws(VaultError) in
          try removal.run(as: .root(template.vaultKey), despiteNewRecords: attempt > 1)
        } install: { () throws(VaultError) in
        }
      }
    }
    if chance(30), let remains = try remover.killing(at: 1 + number(below: 40), { _ = try? run() }) {
      try remover.restart(from: remains)
      note("killed removal", "\(remover.name) at \(remains.point)")
      try learn(remover)
    }
    if chance(20) {
      cutting(remover.link, within: 8) { _ = try? run() }
      note("cut removal", remover.name)
      try learn(remover)
    }
    // After that, its owner looks whether it is done.
    if try remover.local.membership().devices[id]?.revocation == nil {
      let remaining = others(than: remover).filter { other in !leaving.contains { $0 === other } }
      let rival = rival(among: remaining, 50)
      try rival.map { try racingFetches(of: remover.link, against: $0, run) } ?? run()
    }
    try learn(remover)
    for machine in leaving {
      try machine.keepKeys()
      machine.isRemoved = true
      model.release(machine.own.subtracting(remover.known))
      machines.removeAll { $0 === machine }
      removed.append(machine)
      note("remove", "\(machine.name) by \(remover.name)")
    }
    for app in preview.deliveredApps { try giveAgain(to: app.machine.id, by: admin) }
  }

  /// Removes both machines that have signed the opening of an epoch, while a third one that follows it is away: nobody
  /// is to blame for that.
  func removeSigners() throws {
    let present = machines.filter { $0.link.view == nil && !isAway($0) }
    let admins = present.filter(\.isAdmin)
    guard host.isHonest, admins.count > 1, present.count > 2 else { return }
    let (first, second) = (admins[0], admins[1])
    guard let absent = present.last(where: { $0 !== first && $0 !== second }),
      try Set([first.id, second.id, absent.id]).count == 3
    else { return }
    for machine in [first, second, absent] { try learn(machine) }
    try compact(first, keepingBranch: false)
    for machine in [second, absent] { try learn(machine) }
    note("remove signers", "while \(absent.name) is away")
    try remove(first.id, by: second, second)
    try join(isAdmin: true)
    guard let third = machines.last else { return }
    try compact(third, keepingBranch: true)
    try remove(second.id, by: third, third)
    try learn(absent)
    try join(isAdmin: true)
  }

  /// Takes a machine out of the world for good, as if its disk were lost, and lets another one join. What the lost
  /// machine has pushed must survive.
  func lose(_ machine: WorldMachine) throws {
    guard host.isHonest, machines.contains(where: { $0 !== machine && $0.isAdmin }) else { return }
    note("lose", machine.name)
    machines.removeAll { $0 === machine }
    try join(isAdmin: machine.isAdmin)
  }

  /// Gives a machine its app again whose keys a removed admin knows, as the removal says. What the machine has not sent
  /// is refused, and so is what stays there.
  private func giveAgain(to id: String, by admin: WorldMachine) throws {
    let receivers = try machines.filter { try $0.id.description == id }
    guard let device = try receivers.first?.id else { return }
    note("give again", receivers.map(\.name).joined(separator: ", "))
    for machine in receivers { model.release(machine.own.subtracting(admin.known).union(machine.kept)) }
    let app = try admin.local.application(named: WorldMachine.app)
    try act(admin) {
      let registration = AppRegistration(admin.local, passphrase: .unavailable)
      try admin.publication.change(admin.local) { (_) throws(VaultError) in
        try registration.deliver(app, to: device).position
      }
    }
    try learn(admin)
    for machine in receivers {
      // What a copy of before has can no longer open anything.
      try machine.forgetSaved()
      try learn(machine)
      try act(machine) { try AppDelivery(to: machine.local, passphrase: .unavailable).install(app) }
      try machine.reopen()
    }
  }

  private func learn(_ machine: WorldMachine) throws { try plainSync(machine, "sync", mayFail: false) }

  private func join(isAdmin: Bool) throws {
    if chance(20) {
      // It gives up, and may be in the log.
      let link = try WorldLink(to: host)
      link.requestsUntilCut = number(below: 8)
      let name = "interrupted-\(step)-\(machines.count)"
      if (try? newcomer(named: name, over: link, isAdmin: isAdmin)) == nil { note("failed join", name) }
    }
    let (name, link) = ("machine-\(counts["join", default: 0])", try WorldLink(to: host))
    if showsRequests { traceRequests(of: name, over: link) }
    let present = machines.filter { $0.link.view == nil && !isAway($0) }
    func begin() throws -> WorldMachine { try newcomer(named: name, over: link, isAdmin: isAdmin) }
    let rival = rival(among: present, 50)
    let machine = try rival.map { try racingFetches(of: link, against: $0, begin) } ?? begin()
    machines.append(machine)
    note("join", machine.name)
    try learn(machine)
    // It must have everything that was pushed, before any other machine syncs again.
    try compare(machine)
  }

  /// A machine that has joined the vault with its key, and knows what the host has shown it.
  func newcomer(named name: String, over link: WorldLink, isAdmin: Bool = false) throws -> WorldMachine {
    let disk = folder.appending(path: name, directoryHint: .isDirectory)
    try WorldTemplate.join(named: name, on: disk, isAdmin: isAdmin, over: link, with: template.vaultKey)
    return try WorldMachine(named: name, on: disk, link: link, isAdmin: isAdmin)
  }

  /// Sets a machine back to what its disk was when it was saved, or saves it. What it has not sent since is lost. The
  /// host may show it what was then, too: it then seals other segments under the numbers that it has used.
  func restore(_ machine: WorldMachine) throws {
    note(machine.isSaved ? "restore" : "save", machine.name)
    if machine.isSaved {
      let shown = try machine.restore()
      guard isHostile, let shown, chance(50) else { return }
      note("host: shows the past", "to \(machine.name)")
      host.isHonest = false
      machine.link.view = shown
      try write(number(below: Self.itemCount), on: machine)
      try plainSync(machine, "sync", mayFail: true)
      if chance(50) { adoptView(of: machine) }
    } else {
      try machine.save(to: folder.appending(path: "\(machine.name).saved"))
    }
  }

  /// Copies a machine. Each of both meets what the other one sends under its name.
  func copy(_ machine: WorldMachine) throws {
    guard machines.count < 6 else { return }
    let copy = try machine.copy(
      named: "\(machine.name)-\(step)", to: folder.appending(path: "\(machine.name)-\(step)"))
    machines.append(copy)
    note("copy", "\(copy.name) of \(machine.name)")
  }

  /// Shows a new machine a branch without the segments of one machine that another one has seen. The new machine has
  /// never seen the branch: only what the other machine states tells it.
  func deceiveNewcomer() throws {
    guard host.isHonest else { return }
    let author = generator.pick(machines)
    let id = try author.id
    let others = try machines.filter { try $0.id != id && !isAway($0) }
    guard !isAway(author), !others.isEmpty else { return }
    let witness = generator.pick(others)
    try learn(author)
    let branch = try author.branch
    let before = host.references[branch]
    try write(number(below: Self.itemCount), on: author)
    try learn(author)
    let between = host.references[branch]
    try learn(witness)
    try change(number(below: Self.itemCount), to: "v\(step).2", on: witness)
    let seen = host.references[branch]
    try learn(witness)
    // The witness may have been killed before it wrote.
    guard host.references[branch] != seen, try author.branch == branch, try witness.branch == branch,
      let before, let between, let forged = try host.commit(of: branch, withoutSegmentsFrom: before, to: between)
    else { return note("nothing to withhold") }
    let link = try WorldLink(to: host)
    link.view = host.references
    link.view?[branch] = forged
    note("host: withholds", "segments of \(author.name) from a new machine")
    let newcomer = try newcomer(named: "deceived-\(step)", over: link)
    guard try act(newcomer, { try newcomer.sync() }).problems.isEmpty else { return }
    throw WorldFault(
      "a new machine was shown \(branch) without segments that \(witness.name) has seen, and has not said so")
  }

  /// Lets a machine that was removed write and sync. It sends nothing, unless the host helps it: a host that has lost
  /// the branch with its removal does.
  func syncRemoved() throws {
    guard !removed.isEmpty else { return }
    let machine = generator.pick(removed)
    try isHostile && chance(60) ? plant(by: machine) : syncUnaided(machine)
    try compareRemoved(machine)
  }

  private func writeAsRemoved(_ machine: WorldMachine) throws {
    let item = number(below: Self.itemCount)
    try chance(30) ? delete(item, on: machine) : write(item, on: machine)
  }

  private func syncUnaided(_ machine: WorldMachine) throws {
    machine.link.view = nil
    try machine.setRemote()
    try writeAsRemoved(machine)
    let before = host.references
    do {
      _ = try act(machine) { try machine.sync() }
      guard !host.isHonest else { throw WorldFault("\(machine.name) was removed, and has synced") }
      return note("sync of an insider", machine.name)
    } catch let error as VaultError {
      note("sync of a removed machine", "\(machine.name): \(error.code)")
      guard error.code == .notEntitled || !host.isHonest else { throw WorldFault("\(machine.name): \(error)") }
    }
    guard host.references == before || !host.isHonest else {
      throw WorldFault("\(machine.name) was removed, and has pushed")
    }
  }

  /// Lets a machine go on that was removed: the host shows it what was before its removal, and plants what it signs
  /// among the objects of the others.
  private func plant(by insider: WorldMachine) throws {
    host.isHonest = false
    insider.link.view = insider.link.view ?? insider.lastView
    if chance(40), let view = insider.link.view {
      note("host: reveals", "segments to \(insider.name)")
      insider.link.view = try host.revealing(segmentsTo: view)
    }
    try writeAsRemoved(insider)
    try plainSync(insider, "sync of an insider", mayFail: true)
    if insider.isAdmin, chance(30) {
      _ = try? act(insider) { try insider.compact(keepingBranch: true) }
      note("compact of an insider", insider.name)
    }
    guard let view = insider.link.view else { return }
    note("host: plants", "\(try host.plant(view)) files of \(insider.name)")
  }

  // MARK: The host

  /// Lets the host do what an honest one never does.
  func harm(_ machine: WorldMachine) throws {
    host.isHonest = false
    switch number(below: 7) {
    case 5, 6:
      let branch = generator.pick(host.references.keys.filter(WorldHost.isEpoch).sorted() + [""])
      guard let words = try host.alter(branch, using: &generator) else { return }
      note("host: alters", "\(branch): \(words)")
    case 0:
      let past = generator.pick(host.past)
      note("host: sets itself back")
      host.set { $0 = past }
    case 1:
      note("host: shows the past", "to \(machine.name)")
      machine.link.view = generator.pick(host.past)
    case 2:
      note("host: separates", machine.name)
      machine.link.view = host.references
    case 3:
      guard let name = host.references.keys.sorted().randomElement(using: &generator) else { return }
      note("host: loses", name)
      host.set { $0[name] = nil }
    default:
      if chance(30), let separate = machines.filter({ $0.link.view != nil }).randomElement(using: &generator) {
        adoptView(of: separate)
      }
      note("host: shows the truth", "to all")
      for machine in machines { machine.link.view = nil }
    }
  }

  /// Lets become the truth what the host has shown one machine alone, with what the machine has pushed meanwhile.
  private func adoptView(of machine: WorldMachine) {
    note("host: shows all", "what it has shown \(machine.name)")
    let view = machine.link.references
    host.set { $0 = view }
    machine.link.view = nil
  }

  /// The host shows everybody the truth again. If all machines then meet, and none of them finds anything any more, it
  /// counts as honest from now on: nothing that follows may suffer from what it has done before.
  func makePeace() throws {
    guard !host.isHonest, !machines.contains(where: isAway) else { return }
    for machine in machines {
      machine.link.view = nil
      try machine.setRemote()
      try machine.forgetSaved()
    }
    for _ in 0..<4 { for machine in machines { try plainSync(machine, "sync", mayFail: true) } }
    let reports = machines.map { machine in try? act(machine) { try machine.sync() } }
    let tips = try machines.map { machine in machine.link.seen[try machine.branch] }
    guard reports.allSatisfy({ $0?.problems.isEmpty ?? false }), let tip = tips[0], Set(tips).count == 1 else {
      return note("host: makes no peace", reports.compactMap { $0?.problems.first?.message }.first ?? "")
    }
    note("host: makes peace")
    let known = machines.reduce(into: Set<Int>()) { $0.formUnion($1.known) }
    host.makePeace(with: known, at: tip)
    for machine in machines {
      machine.known = known
      try compare(machine)
    }
  }

  /// What the host has done to a branch that a machine has seen in its last sync; nil for nothing.
  func harm(on branch: String, shownTo machine: WorldMachine) -> String? {
    if let tip = machine.link.shown[branch], let before = host.alterations[tip], machine.link.before[branch] == before {
      return "\(branch) with changed files"
    }
    if machine.link.lost.contains(branch) { return "a repository without \(branch)" }
    return machine.link.shortened.contains(branch) ? "\(branch) after it was set back" : nil
  }
}

extension SyncProblem {
  /// Whether a file of this machine could not be read or written, or its network was down.
  var isOfMachine: Bool {
    let causes = ["check the disk", "Input/output error", "No space left on device", "the network is down"]
    return kind == .invitation && causes.contains(where: message.contains)
  }

  /// Whether it says that the host shows something wrong.
  var blamesHost: Bool { [.missing, .unusable, .contradiction, .refused].contains(kind) }

  /// Whether its advice is to build the store of this machine anew.
  var asksToRejoin: Bool { message.contains("`coffer clone --rejoin` on this machine") }

  /// Whether a segment is missing: before another one, or the last ones of a stream; or all that are on the other
  /// branch of a divided vault, of which a lane can have the next one.
  var namesGap: Bool {
    message.contains(" has two branches of epoch ") || message.hasSuffix("does not follow the segment before it")
      || message.contains(" lacks segment ")
      || message.contains(" has a segment ") && message.contains(" that is not valid")
  }

  /// Whether its advice is another repository, unless the machine comes back that has begun the epoch.
  var asksForRepository: Bool { message.contains("coffer remote set URL") }
}
