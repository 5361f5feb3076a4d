import CofferGit
import CofferTestSupport
import Foundation
import Testing

/// What every transport promises, by path and by ssh.
@Suite struct TransferTests {
  enum Transport: CaseIterable {
    case path
    case ssh
  }

  let fixture: Fixture

  init() throws {
    fixture = try Fixture()
  }

  /// A remote reached by `transport`, for as long as the body runs.
  func withRemote(_ transport: Transport, _ body: (RemoteURL, TransportPrograms) throws -> Void) throws {
    switch transport {
    case .path: try body(fixture.url, TransportPrograms())
    case .ssh:
      let server = try SSHServer()
      defer { server.stop() }
      try body(
        RemoteURL("coffer-test:\(fixture.remotePath)"),
        TransportPrograms(sshConfiguration: server.clientConfiguration))
      try body(
        RemoteURL("ssh://\(server.user)@127.0.0.1:\(server.port)\(fixture.remotePath)"),
        TransportPrograms(sshConfiguration: server.clientConfiguration))
    }
  }

  @Test("An empty repository has no references, and fetching from it gives nothing", arguments: Transport.allCases)
  func empty(_ transport: Transport) throws {
    try withRemote(transport) { url, programs in
      let cache = try fixture.open("cache", programs: programs)
      #expect(try cache.remoteReferences(of: url, limits: Fixture.limits).isEmpty)
      #expect(try cache.fetch([branch: scratch], from: url, limits: Fixture.limits).isEmpty)
      #expect(try cache.reference(scratch) == nil)
    }
  }

  @Test("What one pushes another fetches, and only the scratch reference changes", arguments: Transport.allCases)
  func roundTrip(_ transport: Transport) throws {
    try withRemote(transport) { url, programs in
      let name = "refs/heads/v-\(UUID().uuidString)"
      let writer = try fixture.open(UUID().uuidString, programs: programs)
      let reader = try fixture.open(UUID().uuidString, programs: programs)
      var large = [UInt8](repeating: 0, count: 3_000_000)
      var generator = SystemRandomNumberGenerator()
      for index in large.indices { large[index] = UInt8.random(in: 0...255, using: &generator) }
      let first = try writer.commit(adding: [("a/1", large)], onto: nil)
      #expect(try writer.push(first, to: name, at: url, limits: Fixture.limits) == .accepted)
      #expect(try writer.push(first, to: name, at: url, limits: Fixture.limits) == .accepted)

      var last: TransferProgress?
      let references = try reader.fetch([name: scratch], from: url, limits: Fixture.limits) { last = $0 }
      #expect(references[name] == first)
      #expect(try reader.reference(scratch) == first)
      #expect(try reader.blob(at: "a/1", in: first, maximumByteCount: large.count) == large)
      #expect(last?.receivedObjects == last?.totalObjects)
      #expect(try #require(last).receivedBytes > large.count)

      let second = try reader.commit(adding: [("a/2", bytes("2"))], onto: first)
      #expect(try reader.push(second, to: name, at: url, limits: Fixture.limits) == .accepted)
      try writer.fetch([name: scratch], from: url, limits: Fixture.limits)
      #expect(try writer.reference(scratch) == second)
      #expect(try writer.blob(at: "a/2", in: second, maximumByteCount: 9) == bytes("2"))
      #expect(try fixture.revision(name) == "\(second)")
      let references2 = try Command.run("git", "-C", reader.path, "for-each-ref", "--format=%(refname)")
      #expect(references2 == scratch)
      #expect(!FileManager.default.fileExists(atPath: reader.path + "/FETCH_HEAD"))
    }
  }

  @Test("Who comes second is rejected, and the winner's commit stays", arguments: Transport.allCases)
  func compareAndSwap(_ transport: Transport) throws {
    try withRemote(transport) { url, programs in
      let name = "refs/heads/v-\(UUID().uuidString)"
      let one = try fixture.open(UUID().uuidString, programs: programs)
      let two = try fixture.open(UUID().uuidString, programs: programs)
      let base = try one.commit(adding: [("x", bytes("0"))], onto: nil)
      #expect(try one.push(base, to: name, at: url, limits: Fixture.limits) == .accepted)
      try two.fetch([name: scratch], from: url, limits: Fixture.limits)
      let winner = try one.commit(adding: [("x", bytes("1"))], onto: base)
      let loser = try two.commit(adding: [("x", bytes("2"))], onto: base)
      #expect(try one.push(winner, to: name, at: url, limits: Fixture.limits) == .accepted)
      expectRejected(try two.push(loser, to: name, at: url, limits: Fixture.limits))
      #expect(try fixture.revision(name) == "\(winner)")
      // A new root on a name that exists loses too: creating a branch is a compare-and-swap.
      let root = try two.commit(adding: [("y", bytes("3"))], onto: nil)
      expectRejected(try two.push(root, to: name, at: url, limits: Fixture.limits))
      #expect(try fixture.revision(name) == "\(winner)")
    }
  }

  @Test("A writer that is overtaken between the list of references and its push is rejected by the server")
  func raceInsideTheServer() throws {
    let one = try fixture.open("one")
    let base = try one.commit(adding: [("x", bytes("0"))], onto: nil)
    #expect(try one.push(base, to: branch, at: fixture.url, limits: Fixture.limits) == .accepted)
    let winner = try one.commit(adding: [("x", bytes("1"))], onto: base)
    let loser = try one.commit(adding: [("x", bytes("2"))], onto: base)
    #expect(try one.push(winner, to: "refs/heads/aside", at: fixture.url, limits: Fixture.limits) == .accepted)
    // Runs after the server has told us where the branch is, and before it moves it.
    try fixture.installHook(
      "pre-receive", "unset GIT_QUARANTINE_PATH; git update-ref \(branch) \(winner)")
    expectRejected(try one.push(loser, to: branch, at: fixture.url, limits: Fixture.limits))
    #expect(try fixture.revision(branch) == "\(winner)")
  }

  @Test("A hook that refuses makes a rejection that says why", arguments: Transport.allCases)
  func hook(_ transport: Transport) throws {
    try fixture.installHook("pre-receive", "echo 'no room for \u{1b}[31mred' >&2; exit 1")
    try withRemote(transport) { url, programs in
      let cache = try fixture.open("cache", programs: programs)
      let commit = try cache.commit(adding: [("x", bytes("1"))], onto: nil)
      guard case .rejected(let reason) = try cache.push(commit, to: branch, at: url, limits: Fixture.limits) else {
        Issue.record("accepted")
        return
      }
      #expect(reason.contains("pre-receive hook declined") && reason.contains("no room for"))
      #expect(!reason.contains("\u{1b}"))
      #expect(try cache.remoteReferences(of: url, limits: Fixture.limits).isEmpty)
    }
  }

  @Test("A hook that runs after the push is not cut off")
  func postReceive() throws {
    try fixture.installHook("post-receive", "sleep 0.5; echo done > \(fixture.directory.path("ran"))")
    let cache = try fixture.open("cache")
    let commit = try cache.commit(adding: [("x", bytes("1"))], onto: nil)
    #expect(try cache.push(commit, to: branch, at: fixture.url, limits: Fixture.limits) == .accepted)
    #expect(FileManager.default.fileExists(atPath: fixture.directory.path("ran")))
  }

  @Test(
    "A branch that was deleted at the remote is gone here after a fetch, and a push creates it again",
    arguments: Transport.allCases)
  func deletedAtTheRemote(_ transport: Transport) throws {
    try withRemote(transport) { url, programs in
      let cache = try fixture.open("cache", programs: programs)
      let first = try cache.commit(adding: [("x", bytes("1"))], onto: nil)
      let second = try cache.commit(adding: [("x", bytes("2"))], onto: first)
      #expect(try cache.push(second, to: branch, at: url, limits: Fixture.limits) == .accepted)
      expectRejected(try cache.push(first, to: branch, at: url, limits: Fixture.limits))
      #expect(try fixture.revision(branch) == "\(second)")
      #expect(try cache.fetch([branch: scratch], from: url, limits: Fixture.limits) == [branch: second])
      try Command.run("git", "-C", fixture.remotePath, "update-ref", "-d", branch)
      #expect(try cache.fetch([branch: scratch], from: url, limits: Fixture.limits).isEmpty)
      #expect(try cache.reference(scratch) == nil)
      #expect(try cache.push(first, to: branch, at: url, limits: Fixture.limits) == .accepted)
      #expect(try fixture.revision(branch) == "\(first)")
      try Command.run("git", "-C", fixture.remotePath, "update-ref", "-d", branch)
    }
  }

  @Test("A branch that was rewritten at the remote is fetched all the same, and one that is gone is removed here")
  func rewritten() throws {
    let cache = try fixture.open("cache")
    let writer = try fixture.open("writer")
    let first = try writer.commit(adding: [("x", bytes("1"))], onto: nil)
    let stranger = try writer.commit(adding: [("y", bytes("1"))], onto: nil)
    #expect(try writer.push(first, to: branch, at: fixture.url, limits: Fixture.limits) == .accepted)
    #expect(try writer.push(stranger, to: "refs/heads/other", at: fixture.url, limits: Fixture.limits) == .accepted)
    try cache.fetch([branch: scratch], from: fixture.url, limits: Fixture.limits)
    try Command.run("git", "-C", fixture.remotePath, "update-ref", branch, "\(stranger)")
    try cache.fetch([branch: scratch], from: fixture.url, limits: Fixture.limits)
    #expect(try cache.reference(scratch) == stranger)
    try Command.run("git", "-C", fixture.remotePath, "update-ref", "-d", branch)
    try cache.fetch(from: fixture.url, limits: Fixture.limits) { references in
      #expect(references.keys.sorted() == ["refs/heads/other"])
      return [branch: scratch]
    }
    #expect(try cache.reference(scratch) == nil)
  }

  private func expectRejected(_ outcome: PushOutcome) {
    guard case .rejected(let reason) = outcome else {
      Issue.record("accepted")
      return
    }
    #expect(!reason.isEmpty)
  }
}
