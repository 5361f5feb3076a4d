import CofferTestSupport
import Foundation
import Testing

/// Membership that changes on a machine without a remote, where entries of the log count at once.
@Suite struct RemovedRemoteTests {
  private let suite: TwoMachines
  private var laptop: Machine { suite.laptop }
  private var desktop: Machine { suite.desktop }
  private let length: Int

  init() throws {
    suite = try TwoMachines()
    for machine in [suite.laptop, suite.desktop, suite.laptop] { try machine.sync() }
    length = try #require(Int(suite.laptop.status("logLength")))
    try suite.laptop.coffer("remote", "remove")
  }

  private func add(_ name: String, on machine: Machine) throws {
    #expect(try machine.addApp(name).exitCode == 0)
    try machine.coffer("set", "service", "mine", "--app", "com.example.\(name)", input: "value of \(name)")
  }

  private func expectItem(of name: String, on machine: Machine) throws {
    #expect(try machine.coffer("get", "service", "mine", "--app", "com.example.\(name)") == "value of \(name)")
  }

  private func expectFork(after entry: Int, on machine: Machine) throws {
    let sync = try machine.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("has forked after entry \(entry)"), "\(sync)")
  }

  private func resolve(on machine: Machine, _ key: String) throws {
    try machine.coffer("log", "resolve", "--vault-key-file", key, "--yes")
  }

  @Test func `What one machine changes is sent to the next remote, and counts all the time`() throws {
    try add("one", on: laptop)
    try laptop.coffer("remote", "set", suite.remote.path)
    try expectItem(of: "one", on: laptop)
    #expect(try laptop.coffer("log").contains("not on the remote yet"))
    let sync = try laptop.run("coffer", "sync")
    #expect(sync.exitCode == 0 && sync.errors.isEmpty && sync.text.contains("membership entr"), "\(sync)")
    #expect(!sync.text.contains("repaired"), "\(sync)")
    #expect(try !laptop.coffer("log").contains("not on the remote yet"))
    try expectItem(of: "one", on: laptop)
    try desktop.sync()
    #expect(try desktop.status("headPhrase") == laptop.status("headPhrase"))
    try desktop.coffer("app", "install", "com.example.one")
    try expectItem(of: "one", on: desktop)
  }

  @Test func `What two machines change is a fork, and the owner keeps the branch whose items were written`() throws {
    try add("one", on: laptop)
    try add("two", on: desktop)
    try desktop.sync()
    try laptop.coffer("remote", "set", suite.remote.path)
    try expectItem(of: "one", on: laptop)
    for _ in 0..<2 { try expectFork(after: length, on: laptop) }
    try resolve(on: laptop, suite.key)
    try expectItem(of: "one", on: laptop)
    try laptop.sync()
    #expect(try desktop.run("coffer", "sync").errors.contains("to end the fork on the other branch"))
    try desktop.coffer("clone", "--rejoin", "--accept-fork", suite.remote.path)
    for machine in [desktop, laptop, desktop] { try machine.sync() }
    #expect(try desktop.status("headPhrase") == laptop.status("headPhrase"))
    try desktop.coffer("app", "install", "com.example.one")
    try expectItem(of: "one", on: desktop)
  }

  @Test func `If the other branch has begun an epoch, the owner keeps this one in a new repository`() throws {
    try add("one", on: laptop)
    try add("two", on: desktop)
    try desktop.coffer("compact")
    try laptop.coffer("remote", "set", suite.remote.path)
    let sync = try laptop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("has forked after entry \(length)"), "\(sync)")
    #expect(sync.errors.contains("set a new, empty repository first: coffer remote set URL"), "\(sync)")
    let new = try TemporaryRemote()
    try laptop.coffer("remote", "set", new.path)
    try resolve(on: laptop, suite.key)
    try laptop.sync()
    try expectItem(of: "one", on: laptop)
    try desktop.coffer("clone", "--rejoin", "--accept-fork", new.path)
    for machine in [desktop, laptop] { try machine.sync() }
    #expect(try desktop.status("headPhrase") == laptop.status("headPhrase"))
  }

  @Test func `A machine that was removed meanwhile stays removed, whatever it has added to the log`() throws {
    try laptop.coffer("device", "revoke", "desktop", "--yes", "--vault-key-file", suite.key)
    try add("two", on: desktop)
    try desktop.sync()
    try laptop.coffer("remote", "set", suite.remote.path)
    _ = try laptop.run("coffer", "sync")
    try laptop.sync()
    let phrase = try laptop.status("headPhrase")
    // It cannot read what has removed it, and sends its own again.
    #expect(try desktop.run("coffer", "sync").exitCode == 6)
    _ = try laptop.run("coffer", "sync")
    try laptop.sync()
    #expect(try laptop.status("headPhrase") == phrase)
    #expect(try !laptop.coffer("device", "list").contains("desktop"))
    #expect(try !laptop.coffer("app", "list").contains("com.example.two"))
  }

  @Test(arguments: TestRun.rows([[], ["--keep"]]))
  func `An epoch that a machine ended before others knew of its removal goes on, and they learn of that there`(
    options: [String]
  ) throws {
    let three = try ThreeMachines()
    try three.sync(three.laptop, three.desktop, three.laptop)
    try three.laptop.coffer("remote", "remove")
    #expect(try three.remove(on: three.laptop, "device", "revoke", "desktop").exitCode == 0)
    try three.laptop.set("of the laptop", "1")
    try three.third.set("of the third", "2")
    try three.sync(three.third)
    try three.desktop.succeed("coffer", ["compact"] + options)
    #expect(three.remote.tip.isEmpty == options.isEmpty)
    try three.laptop.coffer("remote", "set", three.remote.path)
    let sync = try three.laptop.run("coffer", "sync")
    #expect(sync.exitCode == 0, "\(sync)")
    #expect(try three.laptop.status("epoch") == "2")
    try three.sync(three.third, three.laptop)
    #expect(try three.third.status("headPhrase") == three.laptop.status("headPhrase"))
    #expect(try !three.third.coffer("device", "list").contains("desktop"))
    #expect(try three.desktop.run("coffer", "sync").exitCode == 4)
    // By the new log, a new machine trusts the beginning of the epoch.
    let clone = try three.clone(named: "fourth")
    for machine in [three.laptop, three.third, clone] {
      #expect(try machine.storedValues() == ["of the laptop": "1", "of the third": "2"])
      #expect(try machine.status("epoch") == "2")
    }
    try three.expectSound(three.laptop, three.third, clone)
  }

  @Test func `A machine that was removed cannot keep that from a branch by ending its epoch with entries of its own`()
    throws
  {
    try laptop.coffer("device", "revoke", "desktop", "--yes", "--vault-key-file", suite.key)
    try add("two", on: desktop)
    try desktop.coffer("compact", "--keep")
    try laptop.coffer("remote", "set", suite.remote.path)
    // The desktop's branch counts until the removal is published, and cannot be followed.
    for _ in 0..<3 { _ = try laptop.run("coffer", "sync") }
    try laptop.sync()
    #expect(try laptop.status("epoch") == "1")
    #expect(try !laptop.coffer("log").contains("not on the remote yet"))
    #expect(try !laptop.coffer("device", "list").contains("desktop"))
    #expect(try !suite.remote.files().contains("closed"))
    #expect(try suite.remote.git("for-each-ref", "refs/heads/vault-2-*").isEmpty)
  }

  @Test func `Machines that have each removed a third one keep each other's files until root decides`() throws {
    let three = try ThreeMachines()
    try three.sync(three.laptop, three.desktop, three.laptop)
    let length = try #require(Int(three.laptop.status("logLength")))
    try three.laptop.coffer("remote", "remove")
    for machine in [three.laptop, three.desktop] {
      #expect(try three.remove(on: machine, "device", "revoke", "third").exitCode == 0)
      try machine.set("of \(machine.status("headPhrase"))", "kept")
    }
    try three.desktop.sync()
    try three.laptop.coffer("remote", "set", three.remote.path)
    try expectFork(after: length, on: three.laptop)
    try three.desktop.sync()
    try resolve(on: three.laptop, three.key)
    try three.laptop.sync()
    try three.desktop.coffer("clone", "--rejoin", "--accept-fork", three.remote.path)
    for machine in [three.desktop, three.laptop] { try machine.sync() }
    #expect(try three.desktop.values().filter { $0.value == "kept" }.count == 2)
    #expect(try three.laptop.values() == three.desktop.values())
  }

  @Test func `A store is not built anew without what counted here, unless its owner accepts the fork`() throws {
    try add("one", on: laptop)
    let rejoin = try laptop.run("coffer", "clone", "--rejoin", suite.remote.path)
    #expect(rejoin.exitCode == 6 && rejoin.errors.contains("coffer clone --rejoin --accept-fork"), "\(rejoin)")
    try expectItem(of: "one", on: laptop)
    try laptop.coffer("clone", "--rejoin", "--accept-fork", suite.remote.path)
    try laptop.sync()
    #expect(try laptop.status("headPhrase") == desktop.status("headPhrase"))
  }

  @Test func `Two copies of a vault that never had a remote fork, and neither loses what it has written`() throws {
    let (first, remote) = (try Machine(), try TemporaryRemote())
    let key = try first.makeVault(name: "first")
    let second = try first.copied()
    let length = try #require(Int(first.status("logLength")))
    try add("one", on: first)
    try add("two", on: second)
    for machine in [first, second] { try machine.coffer("remote", "set", remote.path) }
    try first.sync()
    try expectFork(after: length, on: second)
    try resolve(on: second, key)
    try expectItem(of: "two", on: second)
  }
}
