import Coffer
import CofferVault
import CofferFormat
import CofferStore
import CofferTestSupport
import CofferTrust
import Foundation
import Testing

/// Items `…ThisDeviceOnly` over a real repository: nothing of them leaves the machine.
@Suite struct DeviceLocalTests {
  private let suite: TwoMachines
  private let laptop: Vault
  private let desktop: Vault
  private let name = GenericPassword(service: "service", account: "account")
  private let purchases = "com.example.photo.purchases"

  init() throws {
    suite = try TwoMachines()
    laptop = try Self.open(suite.laptop)
    desktop = try Self.open(suite.desktop)
  }

  private static func open(_ machine: Machine) throws -> Vault {
    let plist = URL(fileURLWithPath: Machine.entitlements(of: "PhotoPro"))
    return try Vault.open(.file(plist), at: VaultLocation(folder: machine.vault))
  }

  private var local: GenericPassword {
    var item = name
    item.accessibility = .whenUnlockedThisDeviceOnly
    return item
  }

  private var shared: GenericPassword {
    var item = name
    item.accessibility = .whenUnlocked
    return item
  }

  /// Returns every record that waits to leave a machine or is in a segment that it holds, its own segments and fetched
  /// ones.
  private func travelling(_ machine: Machine) throws -> [RecordHeader] {
    let vault = try LocalVault.open(VaultFolder(machine.vault))
    let keys = try vault.deviceFile().transportKeys
    return try vault.store.read { reader in
      var records: [[UInt8]] = []
      for group in try reader.outboxGroups() {
        records += try reader.outbox(in: group, byteLimit: .max).map { $0.1 }
      }
      for head in try reader.streamHeads() {
        for number in 0...head.position.number {
          let stored = try #require(try reader.segment(head.position.stream, number))
          let envelope = try Envelope(bytes: stored.envelope)
          let key = try #require(keys.first { $0.generation == envelope.generation })
          records += try Segment(bytes: envelope.open(with: key.key)).records
        }
      }
      return try records.map { try Record(bytes: $0).header }
    }
  }

  private func outboxCount(_ machine: Machine) throws -> Int {
    try LocalVault.open(VaultFolder(machine.vault)).store.read { try $0.outboxCount() }
  }

  private func sync(_ machines: Machine...) throws { for machine in machines { try machine.sync() } }

  /// Syncs until both machines have the same items.
  private func syncAll() throws { try sync(suite.laptop, suite.desktop, suite.laptop) }

  @Test func `An item that stays here is not counted among those at the remote`() throws {
    try laptop.add("1", for: local)
    #expect(try suite.laptop.coffer("sync").hasPrefix("Up to date: 0 items, "))
    try laptop.set("1", for: GenericPassword(service: "service", account: "other"))
    #expect(try suite.laptop.coffer("sync").hasPrefix("Synced: 1 item, "))
    #expect(try suite.laptop.status("itemCount") == "2")
  }

  @Test func `No change of such an item reaches the outbox, a segment or another machine`() throws {
    try laptop.add("1", for: local)
    try laptop.set("2", for: name)
    try laptop.update(name, value: "3") { $0.label = "label" }
    try laptop.update(name) { $0.account = "renamed" }
    let renamed = GenericPassword(service: "service", account: "renamed")
    try laptop.update(renamed, movingTo: purchases)
    #expect(try laptop.string(for: renamed, in: purchases) == "3")
    try laptop.restore(try #require(try laptop.history(of: renamed, in: purchases).versions.last))
    try laptop.delete(renamed)
    try laptop.add("again", for: local)
    try laptop.transaction {
      try laptop.set("in a transaction", for: name)
      try laptop.delete(name)
      try laptop.set("last", for: local)
    }
    #expect(try outboxCount(suite.laptop) == 0)
    // An item that is synced shows that the test searches the right place.
    try laptop.set("travels", for: GenericPassword(service: "service", account: "other"))
    #expect(try travelling(suite.laptop).map(\.isDeviceLocal) == [false])
    try syncAll()
    for machine in [suite.laptop, suite.desktop] {
      let headers = try travelling(machine)
      #expect(headers.count == 1 && !headers.contains { $0.isDeviceLocal })
    }
    #expect(try laptop.string(for: name) == "last")
    #expect(try desktop.list(GenericPassword.self).items.map(\.item.account) == ["other"])
    #expect(try desktop.history(of: name).versions.isEmpty)
  }

  @Test func `An item that stays here and is synchronizable stays here, also if it was changed to both`() throws {
    var both = local
    both.isSynchronizable = true
    try laptop.add("1", for: both)
    try laptop.update(both, value: "2") { $0.label = "label" }
    #expect(try outboxCount(suite.laptop) == 0)
    // It was synced before: the other machine gets a tombstone, and nothing of the later versions.
    var other = GenericPassword(service: "service", account: "other")
    other.isSynchronizable = true
    try laptop.add("shared", for: other)
    try syncAll()
    #expect(try desktop.string(for: other) == "shared")
    try laptop.update(other, value: "stays") { $0.accessibility = .afterFirstUnlockThisDeviceOnly }
    try syncAll()
    #expect(try laptop.string(for: other) == "stays" && laptop.string(for: both) == "2")
    #expect(try desktop.list(GenericPassword.self).items.isEmpty)
    for machine in [suite.laptop, suite.desktop] {
      #expect(try !travelling(machine).contains { $0.isDeviceLocal })
    }
  }

  @Test func `Two machines each keep their own item of one name`() throws {
    try laptop.set("laptop", for: local)
    try desktop.set("desktop", for: local)
    try syncAll()
    try laptop.set("laptop 2", for: name)
    try syncAll()
    #expect(try laptop.string(for: name) == "laptop 2")
    #expect(try desktop.string(for: name) == "desktop")
    for vault in [laptop, desktop] { #expect(try vault.storedItem(for: name)?.hasConflict == false) }
  }

  @Test func `Turned local, an item is deleted elsewhere; turned back, it is one item without a conflict`() throws {
    try laptop.set("everywhere", for: name)
    let reference = try #require(try laptop.storedItem(for: name)).reference
    try syncAll()
    #expect(try desktop.string(for: name) == "everywhere")

    try laptop.set("here", for: local)
    try syncAll()
    #expect(try laptop.string(for: name) == "here")
    #expect(try desktop.contains(name) == false)
    #expect(try desktop.list(GenericPassword.self).items.isEmpty)
    #expect(try desktop.history(of: name).versions.first?.isDeletion == true)
    #expect(try !travelling(suite.desktop).contains { $0.isDeviceLocal })

    // Some changes while the item is local.
    for number in 0..<20 { try laptop.set("here \(number)", for: name) }
    try syncAll()
    #expect(try desktop.contains(name) == false)

    try laptop.set("everywhere again", for: shared)
    try syncAll()
    for vault in [laptop, desktop] {
      #expect(try vault.string(for: name) == "everywhere again")
      let stored = try #require(try vault.storedItem(for: name))
      #expect(!stored.hasConflict && stored.reference == reference)
      #expect(try vault.count(GenericPassword.self) == 1)
    }
    for machine in [suite.laptop, suite.desktop] {
      #expect(try machine.status("conflictCount") == "0")
      #expect(try !travelling(machine).contains { $0.isDeviceLocal })
    }
  }

  /// `isKnown` says whether the desktop has read the deletion before its segment leaves the remote.
  @Test(arguments: [false, true])
  func `An item turned local stays deleted elsewhere when its machine begins an epoch`(isKnown: Bool) throws {
    let machines = EpochMachines(suite)
    try laptop.set("everywhere", for: name)
    try syncAll()
    try laptop.set("here", for: local)
    if isKnown { try sync(suite.laptop, suite.desktop) }
    try suite.laptop.coffer("compact")
    // A sync that finds a problem throws.
    try sync(suite.desktop, suite.laptop)
    let third = try machines.clone(named: "third")
    try sync(suite.laptop, suite.desktop)
    try machines.expect(["account": "here"], on: suite.laptop)
    try machines.expect([:], on: suite.desktop, third)
  }

  @Test func `An item deleted while local and added again for all machines is one item without a conflict`() throws {
    try laptop.set("everywhere", for: name)
    try syncAll()
    try laptop.set("here", for: local)
    try laptop.delete(name)
    try laptop.set("here once more", for: local)
    try laptop.delete(name)
    try syncAll()
    try laptop.add("everywhere again", for: shared)
    try syncAll()
    for vault in [laptop, desktop] {
      #expect(try vault.string(for: name) == "everywhere again")
      #expect(try vault.storedItem(for: name)?.hasConflict == false)
    }
  }

  @Test func `An item that was local for long is synced again without a conflict, despite pruning`() throws {
    try laptop.set("everywhere", for: name)
    try syncAll()
    try laptop.set("here", for: local)
    try syncAll()
    func prune() throws {
      let store = try LocalVault.open(VaultFolder(suite.laptop.vault)).store
      let future = Timestamp(microseconds: Timestamp.now.microseconds + 1_000_000)
      _ = try store.write { try $0.pruneHistory(supersededBefore: future) }
    }
    for number in 0..<3 {
      try prune()
      try laptop.set("here \(number)", for: name)
    }
    try prune()
    try laptop.set("everywhere again", for: shared)
    try syncAll()
    for vault in [laptop, desktop] {
      #expect(try vault.string(for: name) == "everywhere again")
      #expect(try vault.storedItem(for: name)?.hasConflict == false)
      #expect(try vault.conflicts(GenericPassword.self).isEmpty)
    }
  }

  @Test func `A concurrent change on another machine is not lost when an item is turned local`() throws {
    try laptop.set("everywhere", for: name)
    try syncAll()
    try laptop.set("here", for: local)
    try desktop.set("by the desktop", for: name)
    try syncAll()
    // The version that was written last wins; both machines keep the other side of the conflict.
    for vault in [laptop, desktop] { #expect(try vault.string(for: name) == "by the desktop") }
    let here = try #require(try laptop.conflicts(GenericPassword.self).first).versions
    #expect(try here.map { try laptop.value(of: $0) } == [Data("by the desktop".utf8), Data("here".utf8)])
    let there = try #require(try desktop.conflicts(GenericPassword.self).first).versions
    #expect(there.map(\.isDeletion) == [false, true])
    #expect(try !travelling(suite.desktop).contains { $0.isDeviceLocal })
  }

  @Test func `Such an item of an app that loses its right on another machine is refused, and can be adopted`() throws {
    try desktop.add("here", for: local, in: purchases)
    let narrow = try suite.laptop.directory.write("narrow.entitlements", entitlementsPlist(app, groups: ["~" + app]))
    try suite.laptop.coffer("app", "add", "--yes", narrow)
    _ = try suite.desktop.run("coffer", "sync")
    func get() throws -> Machine.Outcome {
      try suite.desktop.run(
        "coffer", "get", "service", "account", "--app", "com.example.photo.free", "--group", purchases)
    }
    #expect(try get().exitCode != 0)
    try suite.desktop.coffer("refused", "adopt", "--all")
    #expect(try get().text == "here")
    #expect(try !travelling(suite.desktop).contains { $0.isDeviceLocal })
  }

  @Test func `A row of such an item inserted into the outbox is not sent, and the others are`() throws {
    try laptop.set("here", for: local)
    try laptop.set("travels", for: GenericPassword(service: "service", account: "other"))
    let store = suite.laptop.vault.appending(path: "store.sqlite").path
    try Command.run(
      "sqlite3", store,
      "INSERT INTO outbox (record, group_id) SELECT id, group_id FROM record WHERE true ON CONFLICT DO NOTHING")
    // The sync names the row that another program added.
    #expect(try suite.laptop.run("coffer", "sync").errors.contains("outbox"))
    try syncAll()
    for machine in [suite.laptop, suite.desktop] {
      let headers = try travelling(machine)
      #expect(headers.count == 1 && !headers.contains { $0.isDeviceLocal })
    }
    #expect(try desktop.list(GenericPassword.self).items.map(\.item.account) == ["other"])
  }
}
