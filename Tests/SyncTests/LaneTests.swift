import CofferTestSupport
import Foundation
import Testing

/// Many machines that push at once: a machine that loses the races leaves its segments in a lane.
@Suite struct LaneTests {
  private let remote: TemporaryRemote
  private let laptop: Machine
  private let desktop: Machine
  private let key: String

  init() throws {
    let suite = try TwoMachines()
    (remote, laptop, desktop, key) = (suite.remote, suite.laptop, suite.desktop, suite.key)
  }

  /// Lets another push win the race before each of the next pushes to the vault's branch.
  private func crowd(_ count: Int) throws {
    try "\(count)".write(toFile: remote.path + "/races", atomically: true, encoding: .utf8)
    try remote.setPushHook(
      """
      read old new ref
      races=$(cat races)
      case $ref in refs/heads/vault-*) [ "$races" -gt 0 ] || exit 0 ;; *) exit 0 ;; esac
      echo $((races - 1)) > races
      unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES
      other=$(git -c user.name=host -c user.email=host@localhost commit-tree -m x -p "$ref" "$ref^{tree}")
      git update-ref "$ref" "$other"
      exit 1
      """)
  }

  private func remainingRaces() throws -> String {
    try String(contentsOfFile: remote.path + "/races", encoding: .utf8).trimmingCharacters(in: .newlines)
  }

  private func lanes() throws -> [String] {
    try remote.git("for-each-ref", "--format=%(refname)", "refs/heads/lane-*").split(separator: "\n").map(String.init)
  }

  /// Leaves an item of a machine, the desktop if none is given, in a lane.
  private func park(_ account: String, _ value: String, on machine: Machine? = nil) throws {
    let machine = machine ?? desktop
    try machine.set(account, value)
    try crowd(4)
    let output = try machine.coffer("sync")
    #expect(output.contains("sent:     1 item change, in a lane"), "\(output)")
    #expect(try remainingRaces() == "0")
  }

  /// Clones the vault to a further machine.
  private func clone(named name: String) throws -> Machine {
    let machine = try Machine()
    try machine.coffer("clone", "--name", name, "--no-passphrase", "--vault-key-file", key, remote.path)
    return machine
  }

  private func expectSound(_ machines: Machine...) throws {
    for machine in machines {
      let check = try machine.run("coffer", "check")
      #expect(check.exitCode == 0, "\(check)")
      #expect(try machine.coffer("sync").hasPrefix("Up to date"))
    }
    #expect(try lanes().isEmpty)
  }

  @Test func `After four lost races, a change waits in a lane until another machine puts it in its place`() throws {
    let files = try remote.files()
    try park("crowd", "from the desktop")
    #expect(try lanes().count == 1)
    #expect(try remote.files() == files)
    #expect(try desktop.status("unsyncedChanges") == "1")
    try laptop.sync()
    #expect(try laptop.get("crowd") == "from the desktop")
    #expect(try remote.files().count == files.count + 1)
    try expectSound(laptop, desktop)
    #expect(try desktop.status("unsyncedChanges") == "0")
  }

  @Test func `The next sync of the machine itself puts its lane in its place`() throws {
    try park("crowd", "from the desktop")
    try desktop.set("later", "value")
    #expect(try desktop.coffer("sync").contains("sent:     2 item changes"))
    try laptop.sync()
    #expect(try laptop.values() == ["crowd": "from the desktop", "later": "value"])
    try expectSound(laptop, desktop)
  }

  @Test func `A change that is in a lane is not put into another one`() throws {
    try park("crowd", "from the desktop")
    try crowd(4)
    #expect(try desktop.coffer("sync").contains("in a lane"))
    #expect(try lanes().count == 1)
    try desktop.set("later", "value")
    try crowd(4)
    #expect(try desktop.coffer("sync").contains("sent:     2 item changes, in a lane"))
    #expect(try lanes().count == 2)
    try laptop.sync()
    #expect(try laptop.values() == ["crowd": "from the desktop", "later": "value"])
    try expectSound(laptop, desktop)
  }

  @Test func `A backup has what is only in a lane, from the machine that has sent it and from a reader`() throws {
    try park("crowd", "from the desktop")
    try crowd(9)
    try laptop.sync()
    #expect(try lanes().count == 1)
    for machine in [desktop, laptop] {
      let scene = try BackupScene(key: key)
      try machine.coffer("backup", scene.file)
      #expect(try scene.restore().get("crowd") == "from the desktop")
    }
  }

  @Test func `A machine that has nothing to send tries once to put a lane in its place`() throws {
    try park("crowd", "from the desktop")
    try crowd(9)
    try laptop.sync()
    #expect(try remainingRaces() == "8")
    #expect(try laptop.get("crowd") == "from the desktop")
    #expect(try lanes().count == 1)
    try crowd(0)
    try laptop.sync()
    try expectSound(laptop, desktop)
  }

  @Test func `A lane that the host loses is sent again by its machine`() throws {
    try park("crowd", "from the desktop")
    try remote.git("update-ref", "-d", lanes()[0])
    try laptop.sync()
    #expect(try laptop.values().isEmpty)
    try desktop.sync()
    try laptop.sync()
    #expect(try laptop.get("crowd") == "from the desktop")
    try expectSound(laptop, desktop)
  }

  @Test func `A host that refuses lanes only makes the machine try longer`() throws {
    try desktop.set("crowd", "from the desktop")
    try crowd(6)
    let hook = remote.path + "/hooks/pre-receive"
    let script = try String(contentsOfFile: hook, encoding: .utf8)
    try remote.setPushHook(
      script.replacing("read old new ref", with: "read old new ref\ncase $ref in refs/heads/lane-*) exit 1;; esac"))
    let output = try desktop.coffer("sync")
    #expect(output.contains("sent:     1 item change") && !output.contains("lane"), "\(output)")
    #expect(try remainingRaces() == "0")
    try laptop.sync()
    #expect(try laptop.get("crowd") == "from the desktop")
    try expectSound(laptop, desktop)
  }

  @Test func `A host that deletes no branch keeps a lane, which is not looked at again`() throws {
    try remote.git("config", "receive.denyDeletes", "true")
    try park("crowd", "from the desktop")
    for machine in [laptop, desktop, laptop] { #expect(try machine.run("coffer", "sync").exitCode == 0) }
    let lane = try #require(lanes().first)
    #expect(try laptop.get("crowd") == "from the desktop")
    // It could not be fetched anew without this object.
    try FileManager.default.removeItem(at: laptop.vault.appending(path: "cache.git"))
    let tip = try remote.git("rev-parse", lane).trimmingCharacters(in: .newlines)
    try FileManager.default.removeItem(atPath: remote.path + "/objects/\(tip.prefix(2))/\(tip.dropFirst(2))")
    #expect(try laptop.coffer("sync").hasPrefix("Up to date"))
  }

  @Test func `Lanes that anybody planted are named and deleted, and keep nobody from syncing`() throws {
    try park("crowd", "from the desktop")
    let file = remote.directory.path("junk")
    try Data("junk".utf8).write(to: URL(fileURLWithPath: file))
    let blob = try remote.git("hash-object", "-w", file).trimmingCharacters(in: .newlines)
    func plant(_ path: String, as lane: Int) throws {
      var object = blob
      var kind = "100644 blob"
      for name in path.split(separator: "/").reversed() {
        object = try Command.run(
          "sh", "-c", "printf '%s %s\\t%s\\n' \"$1\" \"$2\" \"$3\" | git mktree", "sh", kind, object, String(name),
          in: URL(fileURLWithPath: remote.path)
        ).trimmingCharacters(in: .newlines)
        kind = "040000 tree"
      }
      let commit = try remote.git("commit-tree", "-m", "x", object).trimmingCharacters(in: .newlines)
      let name = String(repeating: "0", count: 30) + String(format: "%02x", lane)
      try remote.git("update-ref", "refs/heads/lane-\(name)", commit)
    }
    let stream = String(repeating: "ab", count: 16)
    for lane in 0..<20 { try plant("segments/\(stream)/0/\(lane)", as: lane) }
    for lane in 20..<30 { try plant("note", as: lane) }
    let sync = try laptop.run("coffer", "sync")
    #expect(sync.exitCode == 6)
    #expect(sync.errors.contains("in a lane that is not valid"), "\(sync)")
    #expect(sync.errors.contains("has a lane with a file that is no segment"))
    #expect(try laptop.get("crowd") == "from the desktop")
    try expectSound(laptop, desktop)
  }

  @Test func `A lane that cannot be fetched does not keep the vault's branch from being fetched`() throws {
    try laptop.set("direct", "value")
    try laptop.sync()
    try park("crowd", "from the desktop")
    let lane = try lanes()[0]
    let tip = try remote.git("rev-parse", lane).trimmingCharacters(in: .newlines)
    let tree = try remote.git("rev-parse", lane + "^{tree}").trimmingCharacters(in: .newlines)
    try FileManager.default.removeItem(atPath: remote.path + "/objects/\(tree.prefix(2))/\(tree.dropFirst(2))")
    let sync = try laptop.run("coffer", "sync")
    #expect(sync.exitCode == 6, "\(sync)")
    #expect(sync.errors.contains("has a lane that cannot be fetched"), "\(sync) \(tip)")
    #expect(try laptop.values() == ["direct": "value"])
  }

  @Test func `An item in the lane of a machine that is removed then stays valid`() throws {
    try park("crowd", "from the desktop")
    let revoked = try laptop.run("coffer", "device", "revoke", "desktop", "--vault-key-file", key, "--yes")
    #expect(revoked.exitCode == 0, "\(revoked)")
    #expect(try laptop.get("crowd") == "from the desktop")
    #expect(try laptop.status("refusedRecords") == "0")
    try laptop.sync()
    try expectSound(laptop)
  }

  /// What a lane can follow that only the branch of the next epoch has.
  enum Predecessor: CaseIterable {
    case segmentOfAnother, ownSegment, enrolment, transportKey
  }

  @Test(arguments: TestRun.rows(Predecessor.allCases))
  func `A lane after something in the next epoch is no problem to a machine that has not followed it yet`(
    predecessor: Predecessor
  ) throws {
    let third = try clone(named: "third")
    try laptop.coffer("compact", "--keep")
    try desktop.sync()
    var writer = desktop
    switch predecessor {
    case .segmentOfAnother:
      try laptop.set("before", "value")
      try laptop.sync()
    case .ownSegment:
      try desktop.set("before", "value")
      try desktop.sync()
    case .enrolment: writer = try clone(named: "fourth")
    case .transportKey:
      let new = remote.directory.path("new-key")
      try laptop.coffer("vault-key", "rotate", "--vault-key-file", key, "--new-vault-key-file", new)
      try desktop.sync()
    }
    try park("crowd", "from a lane", on: writer)
    let sync = try third.run("coffer", "sync")
    #expect(sync.exitCode == 0 && sync.errors.isEmpty, "\(sync)")
    #expect(try third.get("crowd") == "from a lane")
    for machine in [laptop, desktop, writer] { try machine.sync() }
    try expectSound(laptop, desktop, third, writer)
  }

  @Test func `A lane waits for the branch of the next epoch if the host has lost that one`() throws {
    let third = try clone(named: "third")
    try laptop.coffer("compact", "--keep")
    try laptop.set("before", "value")
    try laptop.sync()
    try park("crowd", "from the desktop")
    let next = try remote.git("for-each-ref", "--format=%(refname)", "refs/heads/vault-2-*")
    try remote.git("update-ref", "-d", next.trimmingCharacters(in: .newlines))
    let sync = try third.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("has lost the branch vault-2-"), "\(sync)")
    #expect(!sync.errors.contains("desktop has seen"), "\(sync)")
    #expect(try third.values().isEmpty && lanes().count == 1)
    #expect(try laptop.run("coffer", "sync").exitCode == 6)
    try third.sync()
    #expect(try third.values() == ["before": "value", "crowd": "from the desktop"])
    try laptop.sync()
    // The desktop has seen another commit of the branch.
    #expect(try desktop.run("coffer", "sync").errors.contains("was set back or rewritten"))
    try expectSound(laptop, desktop, third)
  }

  @Test func `Beginning an epoch waits for what a lane has, also if another machine wins the race to push it`() throws {
    try park("crowd", "from the desktop")
    try crowd(2)
    try laptop.coffer("compact")
    #expect(try remainingRaces() == "0" && laptop.status("epoch") == "2")
    try desktop.sync()
    #expect(try desktop.values() == ["crowd": "from the desktop"] && lanes().isEmpty)
    try expectSound(laptop, desktop)
  }

  @Test func `A machine that is killed when its lane is accepted loses nothing and sends nothing twice`() throws {
    try desktop.set("crowd", "from the desktop")
    try crowd(4)
    let log = remote.directory.path("faults")
    let killed = try desktop.run(
      "coffer", "sync", environment: ["COFFER_FAULT_LOG": log, "COFFER_FAULT_POINT": "pushSent:5"])
    #expect(killed.signal == SIGKILL, "\(killed)")
    #expect(try String(contentsOfFile: log, encoding: .utf8).components(separatedBy: "pushSent").count == 6)
    try laptop.sync()
    try desktop.sync()
    try laptop.sync()
    #expect(try laptop.values() == ["crowd": "from the desktop"])
    try expectSound(laptop, desktop)
  }
}
