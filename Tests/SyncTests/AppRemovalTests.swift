import CofferFormat
import CofferStore
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// Apps that are removed from the vault, on one machine or on all.
@Suite struct AppRemovalTests {
  private let suite: ThreeMachines
  private let free = "com.example.photo.free"

  init() throws {
    suite = try ThreeMachines()
    try suite.desktop.set("old", "by the desktop")
    try suite.laptop.set("mine", "by the laptop")
    try suite.sync(suite.desktop, suite.laptop, suite.third, suite.desktop)
  }

  private let items = ["old": "by the desktop", "mine": "by the laptop"]

  @Test func `An app that is removed on one machine works on the others, and again there with a new credential`()
    throws
  {
    let thief = try suite.desktop.copied()
    try suite.laptop.coffer("app", "remove", app, "--device", "desktop", "--yes")
    let forged = try thief.forge(Array("forged".utf8), account: "old", in: app, by: app)
    try suite.sync(suite.desktop, suite.third)
    for command in [["get", "service", "old"], ["set", "service", "x"]] {
      let outcome = try suite.desktop.start("coffer", command + ["--app", app], input: Data("v".utf8)).wait()
      #expect(
        outcome.exitCode == 4 && outcome.errors.contains("was removed from the vault on this machine")
          && outcome.errors.contains("coffer app install"), "\(outcome)")
    }
    // The machine and its other apps stay.
    try suite.desktop.coffer("set", "service", "free", "--app", free, input: "value")
    for machine in [suite.laptop, suite.third] { #expect(try machine.values() == items) }
    // The old credential signs what nobody accepts.
    try suite.remote.put([suite.desktop.sealSegment(of: [forged.bytes], in: forged.header.group)])
    let sync = try suite.third.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("refused 1 record by"), "\(sync)")
    #expect(try suite.third.values() == items)
    _ = try suite.desktop.run("coffer", "sync")
    let principals = try suite.desktop.local.membership().holders(of: suite.desktop.local.application(named: app))
    try suite.desktop.coffer("app", "install", app)
    let renewed = try suite.desktop.local.membership().holders(of: suite.desktop.local.application(named: app))
    #expect(principals.count == 2 && renewed.count == 3 && renewed.isSuperset(of: principals))
    #expect(try suite.desktop.values() == items)
    try suite.desktop.set("again", "by the desktop")
    try suite.sync(suite.desktop)
    _ = try suite.laptop.run("coffer", "sync")
    #expect(try suite.laptop.get("again") == "by the desktop")
    for machine in [suite.laptop, suite.desktop] { try suite.expectSound(machine) }
  }

  @Test func `A version is current again if all later ones end with their app, also those that were pruned by then`()
    throws
  {
    let desktop = suite.desktop
    let scene = try BackupScene(key: suite.key)
    for value in 1...3 {
      try desktop.set("old", "unsent \(value)")
      // It puts what was not sent into segments, which are pruned as those of others.
      try desktop.coffer("backup", scene.file)
    }
    let later = Timestamp(microseconds: .max)
    #expect(try desktop.local.store.write { try $0.pruneHistory(supersededBefore: later) } == 3)
    try suite.laptop.coffer("app", "remove", app, "--device", "desktop", "--yes")
    _ = try desktop.run("coffer", "sync")
    #expect(try desktop.status("refusedRecords") == "3")
    #expect(try desktop.coffer("check") == "The store matches its signed objects.")
    try desktop.coffer("backup", scene.file)
    #expect(try scene.restore().values() == items)
    #expect(try desktop.coffer("app", "install", app).contains(app))
    #expect(try desktop.values() == items)
  }

  @Test func `An app that is removed from the vault works nowhere; its items stay, and it can be registered again`()
    throws
  {
    try suite.laptop.coffer("app", "remove", app, "--yes")
    try suite.sync(suite.desktop, suite.third)
    for machine in [suite.laptop, suite.desktop, suite.third] {
      let get = try machine.run("coffer", "get", "service", "old", "--app", app)
      #expect(
        get.exitCode == 4 && get.errors.contains("the app \(app) was removed from the vault on ")
          && get.errors.contains(" by laptop (entry"), "\(get)")
      #expect(!(try machine.coffer("app", "list").contains(app)))
      #expect(try machine.coffer("get", "service", "old", "--group", app) == "by the desktop")
      #expect(try machine.status("refusedRecords") == "0")
      try suite.expectSound(machine)
    }
    let install = try suite.desktop.run("coffer", "app", "install", app)
    #expect(install.exitCode == 4, "\(install)")
    try suite.desktop.register("PhotoPro")
    #expect(try suite.desktop.values() == items)
    try suite.desktop.set("again", "value")
    try suite.sync(suite.desktop, suite.laptop)
    try suite.laptop.coffer("app", "install", app)
    #expect(try suite.laptop.values() == items.merging(["again": "value"]) { $1 })
  }

  @Test func `An app that may only read some groups loses the new keys of all of them`() throws {
    let purchases = "com.example.photo.purchases"
    try suite.laptop.coffer("set", "store", "photo", "--app", app, "--group", purchases, input: "before")
    try suite.sync(suite.laptop, suite.desktop)
    let thief = try suite.desktop.copied()
    try suite.laptop.coffer("app", "remove", free, "--device", "desktop", "--yes")
    let groups = try suite.laptop.local.membership().groups.values
    for group in groups {
      let isReadable = group.name.description.hasSuffix(purchases) || group.name.description.hasSuffix(free)
      #expect(group.generations.count == (isReadable ? 2 : 1), "\(group.name)")
    }
    try suite.laptop.coffer("set", "store", "photo", "--app", app, "--group", purchases, input: "after")
    try suite.sync(suite.laptop, suite.desktop)
    #expect(try suite.laptop.coffer("get", "store", "photo", "--app", free) == "after")
    // The app's old files beside the machine's present store.
    try thief.replaceStore(by: suite.desktop)
    let get = try thief.run("coffer", "get", "store", "photo", "--app", free)
    #expect(get.exitCode == 4 && get.output.isEmpty, "\(get)")
  }
}
