import Coffer
import CofferAdministration
import CofferTestSupport
import Foundation
import Testing

/// Real servers that refuse a push, or fail in the middle of one. Afterwards nothing has changed on this machine, the
/// change waits, and it arrives once as soon as the server is sound.
@Suite struct FailingPushTests {
  typealias Transport = ServedMachines.Transport

  /// A rule or a state of a host that refuses every push.
  struct Refusal: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// What the error says.
    let words: String
    let begin: @Sendable (TemporaryRemote) throws -> Void
    var end: @Sendable (TemporaryRemote) throws -> Void = { _ in }

    static let all = [
      Refusal(testDescription: "a hook before the push", words: "the disk quota is used up") {
        try $0.setPushHook("echo 'the disk quota is used up' >&2\nexit 1")
      },
      Refusal(testDescription: "a limit of the size of a push", words: "maximum allowed size") {
        try $0.git("config", "receive.maxInputSize", "500")
      } end: {
        try $0.git("config", "--unset", "receive.maxInputSize")
      },
      Refusal(testDescription: "a lock that a crash has left", words: "vault-1") {
        try Data().write(to: URL(fileURLWithPath: $0.path + "/refs/heads/vault-1.lock"))
      } end: {
        try FileManager.default.removeItem(atPath: $0.path + "/refs/heads/vault-1.lock")
      },
      Refusal(testDescription: "a hook for each branch", words: "hook declined") {
        try $0.directory.writeScript("vault.git/hooks/update", "exit 1")
      } end: {
        try FileManager.default.removeItem(atPath: $0.path + "/hooks/update")
      },
    ]
  }

  @Test(arguments: TestRun.rows(Array(zip([Transport.ssh, .http, .daemon, .http], Refusal.all))))
  func `A server that refuses pushes says why, and the change waits until it does not`(
    _ transport: Transport, _ refusal: Refusal
  ) throws {
    let machines = try ServedMachines(transport)
    let segments = try machines.segments()
    try machines.laptop.set("waiting", "here")
    try refusal.begin(machines.remote)
    let tip = machines.remote.tip
    try machines.expectUnsent(refusal.words)
    #expect(machines.remote.tip == tip)
    try refusal.end(machines.remote)
    try machines.heal()
    try machines.expectSent(after: segments)
  }

  @Test(arguments: TestRun.rows([Transport.path, .ssh, .http]))
  func `A server whose disk is full refuses the push, and gets it when there is space`(_ transport: Transport) throws {
    let machines = try ServedMachines(transport)
    let segments = try machines.segments()
    try machines.laptop.set("waiting", "here")
    try machines.fail(.fullDisk)
    let tip = machines.remote.tip
    for _ in 1...2 { try machines.expectUnsent("refuses what this machine pushes") }
    #expect(machines.remote.tip == tip)
    try machines.heal()
    try machines.expectSent(after: segments)
  }

  @Test(arguments: TestRun.rows([Transport.path, .ssh, .http]))
  func `A server that is killed while the pack arrives gets all of it later`(_ transport: Transport) throws {
    let machines = try ServedMachines(transport)
    let segments = try machines.segments()
    try machines.laptop.set("waiting", "here")
    try machines.fail(.killedInPack)
    let tip = machines.remote.tip
    // What is left of the answer depends on the moment.
    for _ in 1...2 { try machines.expectUnsent(machines.url) }
    #expect(machines.remote.tip == tip)
    try machines.heal()
    try machines.expectSent(after: segments)
  }

  @Test(
    arguments: TestRun.rows(Array(zip(Transport.allCases, ["pre-receive", "update", "pre-receive", "update"]))))
  func `A server that is killed before it moves the branch gets the change later`(
    _ transport: Transport, hook: String
  ) throws {
    let machines = try ServedMachines(transport)
    let segments = try machines.segments()
    try machines.laptop.set("waiting", "here")
    try machines.remote.directory.writeScript("vault.git/hooks/\(hook)", "kill -9 $PPID")
    let tip = machines.remote.tip
    try machines.expectUnsent("the remote")
    #expect(machines.remote.tip == tip)
    try FileManager.default.removeItem(atPath: machines.remote.path + "/hooks/\(hook)")
    // A killed process of git leaves its lock.
    try? FileManager.default.removeItem(atPath: machines.remote.path + "/refs/heads/vault-1.lock")
    try machines.expectSent(after: segments)
  }

  @Test(arguments: TestRun.rows([Transport.path, .ssh, .http]))
  func `A server that goes silent in the middle of a push is given up after the timeout`(_ transport: Transport) throws
  {
    let machines = try ServedMachines(transport)
    let segments = try machines.segments()
    try machines.laptop.set("waiting", "here")
    try machines.fail(.silentInPack)
    var seconds = 1
    // Until a busy machine has come as far as that within the time.
    repeat {
      seconds *= 2
      try #require(.seconds(seconds) < longestWait)
      let start = ContinuousClock.now
      try machines.expectUnsent("\(seconds).0 seconds", ["--timeout", "\(seconds)"])
      #expect(ContinuousClock.now - start >= .seconds(seconds))
    } while !machines.isSilent
    try machines.heal()
    try machines.expectSent(after: segments)
  }

  @Test(arguments: TestRun.rows([Transport.path, .ssh, .http]))
  func `A push that landed, and whose answer is garbage, is not sent a second time`(_ transport: Transport) throws {
    let machines = try ServedMachines(transport)
    let segments = try machines.segments()
    try machines.laptop.set("waiting", "here")
    try machines.fail(.garbageAfterPush)
    try machines.expectUnsent("the remote")
    try machines.heal()
    try machines.expectSent(after: segments)
  }

  @Test(arguments: TestRun.rows([Transport.ssh, .http]))
  func `A push that lands after this machine has given up counts once`(_ transport: Transport) throws {
    let machines = try ServedMachines(transport)
    let segments = try machines.segments()
    try machines.laptop.set("waiting", "here")
    let (asked, release) = (machines.remote.directory.path("asked"), machines.remote.directory.path("release"))
    try machines.remote.setPushHook("touch '\(asked)'\nwhile [ ! -e '\(release)' ]; do sleep 0.1; done")
    var seconds = 1
    repeat {
      seconds *= 2
      try #require(.seconds(seconds) < longestWait)
      try machines.expectUnsent("\(seconds).0 seconds", ["--timeout", "\(seconds)"])
    } while !FileManager.default.fileExists(atPath: asked)
    let tip = machines.remote.tip
    try Data().write(to: URL(fileURLWithPath: release))
    try waitUntil("the push lands") { machines.remote.tip != tip }
    try machines.heal()
    try machines.expectSent(after: segments)
  }

  @Test(arguments: TestRun.rows([Transport.ssh, .http]))
  func `A host that forbids deletions and forced pushes has everything, another epoch included`(_ transport: Transport)
    throws
  {
    let machines = try ServedMachines(transport)
    for rule in ["denyDeletes", "denyNonFastForwards", "denyDeleteCurrent", "denyCurrentBranch"] {
      try machines.remote.git("config", "receive.\(rule)", rule.hasSuffix("Branch") ? "refuse" : "true")
    }
    try machines.laptop.set("one", "1")
    try machines.laptop.sync()
    try machines.desktop.set("two", "2")
    try machines.desktop.sync()
    try machines.laptop.coffer("compact")
    try machines.desktop.sync()
    let third = try Machine()
    third.environment.merge(machines.laptop.environment.filter { $0.key == "COFFER_SSH_CONFIG" }) { $1 }
    try third.coffer("clone", "--no-passphrase", "--vault-key-file", machines.two.key, machines.url)
    for machine in [machines.laptop, machines.desktop, third] {
      try machine.sync()
      #expect(try machine.storedValues() == ["kept": "value", "one": "1", "two": "2"])
      #expect(try machine.storedStatus().epoch.number == 2)
    }
  }
}
