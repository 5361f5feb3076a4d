import CofferGit
import CofferTestSupport
import Foundation
import Testing

/// Promises of every transport, over real servers.
@Suite struct TransferTests {
  enum Transport: CaseIterable {
    case path
    case ssh
    case https
    case http
    case daemon
  }

  let fixture: TemporaryRemote

  init() throws {
    fixture = try TemporaryRemote()
  }

  /// Runs `body` with a remote that is reached by `transport`.
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
    case .https:
      let authority = try CertificateAuthority()
      var options = GitHTTPServer.Options()
      options.identity = try authority.identity(for: "127.0.0.1")
      let server = try GitHTTPServer(fixture.directory.url, options: options)
      defer { server.stop() }
      try body(RemoteURL(server.url("remote.git")), .forTests(authorities: authority.certificate))
    case .http:
      let server = try GitHTTPServer(fixture.directory.url)
      defer { server.stop() }
      try body(RemoteURL(server.url("remote.git")), .forTests())
    case .daemon:
      let server = try GitDaemon(fixture.directory.url)
      defer { server.stop() }
      try body(RemoteURL(server.url("remote.git")), .forTests())
    }
  }

  @Test(arguments: Transport.allCases)
  func `An empty repository has no references, and fetching from it gives nothing`(_ transport: Transport) throws {
    try withRemote(transport) { url, programs in
      let cache = try fixture.open("cache", programs: programs)
      #expect(try cache.remoteReferences(of: url, limits: TemporaryRemote.limits).isEmpty)
      #expect(try cache.fetch([branch: scratch], from: url, limits: TemporaryRemote.limits).isEmpty)
      #expect(try cache.reference(scratch) == nil)
    }
  }

  @Test(arguments: TestRun.rows(Transport.allCases, ordinarily: 2))
  func `One side fetches what another pushed, and only the scratch reference changes`(_ transport: Transport) throws {
    try withRemote(transport) { url, programs in
      let name = "refs/heads/v-\(UUID().uuidString)"
      let writer = try fixture.open(UUID().uuidString, programs: programs)
      let reader = try fixture.open(UUID().uuidString, programs: programs)
      var large = [UInt8](repeating: 0, count: 3_000_000)
      var generator = SystemRandomNumberGenerator()
      for index in large.indices { large[index] = UInt8.random(in: 0...255, using: &generator) }
      let first = try writer.commit(adding: [("a/1", large)], onto: nil)
      #expect(try writer.push(first, to: name, at: url, limits: TemporaryRemote.limits) == .accepted)
      #expect(try writer.push(first, to: name, at: url, limits: TemporaryRemote.limits) == .accepted)

      var last: TransferProgress?
      let references = try reader.fetch([name: scratch], from: url, limits: TemporaryRemote.limits) { last = $0 }
      #expect(references[name] == first)
      #expect(try reader.reference(scratch) == first)
      #expect(try reader.blob(at: "a/1", in: first, maximumByteCount: large.count) == large)
      #expect(last?.receivedObjects == last?.totalObjects)
      #expect(try #require(last).receivedBytes > large.count)

      let second = try reader.commit(adding: [("a/2", bytes("2"))], onto: first)
      #expect(try reader.push(second, to: name, at: url, limits: TemporaryRemote.limits) == .accepted)
      try writer.fetch([name: scratch], from: url, limits: TemporaryRemote.limits)
      #expect(try writer.reference(scratch) == second)
      #expect(try writer.blob(at: "a/2", in: second, maximumByteCount: 9) == bytes("2"))
      #expect(try fixture.revision(name) == "\(second)")
      let references2 = try Command.run("git", "-C", reader.path, "for-each-ref", "--format=%(refname)")
      #expect(references2 == scratch)
      #expect(!FileManager.default.fileExists(atPath: reader.path + "/FETCH_HEAD"))
    }
  }

  @Test(arguments: TestRun.rows(Transport.allCases, ordinarily: 2))
  func `The second of two pushes is rejected, and the first one's commit stays`(_ transport: Transport) throws {
    try withRemote(transport) { url, programs in
      let name = "refs/heads/v-\(UUID().uuidString)"
      let one = try fixture.open(UUID().uuidString, programs: programs)
      let two = try fixture.open(UUID().uuidString, programs: programs)
      let base = try one.commit(adding: [("x", bytes("0"))], onto: nil)
      #expect(try one.push(base, to: name, at: url, limits: TemporaryRemote.limits) == .accepted)
      try two.fetch([name: scratch], from: url, limits: TemporaryRemote.limits)
      let winner = try one.commit(adding: [("x", bytes("1"))], onto: base)
      let loser = try two.commit(adding: [("x", bytes("2"))], onto: base)
      #expect(try one.push(winner, to: name, at: url, limits: TemporaryRemote.limits) == .accepted)
      expectRejected(try two.push(loser, to: name, at: url, limits: TemporaryRemote.limits))
      #expect(try fixture.revision(name) == "\(winner)")
      // A new root for a branch that exists is rejected too: creating a branch is a compare-and-swap.
      let root = try two.commit(adding: [("y", bytes("3"))], onto: nil)
      expectRejected(try two.push(root, to: name, at: url, limits: TemporaryRemote.limits))
      #expect(try fixture.revision(name) == "\(winner)")
    }
  }

  @Test func `A push that another overtakes after the list of references is rejected by the server`() throws {
    let one = try fixture.open("one")
    let base = try one.commit(adding: [("x", bytes("0"))], onto: nil)
    #expect(try one.push(base, to: branch, at: fixture.url, limits: TemporaryRemote.limits) == .accepted)
    let winner = try one.commit(adding: [("x", bytes("1"))], onto: base)
    let loser = try one.commit(adding: [("x", bytes("2"))], onto: base)
    #expect(try one.push(winner, to: "refs/heads/aside", at: fixture.url, limits: TemporaryRemote.limits) == .accepted)
    // Runs after the server has listed its references, and before it updates the branch.
    try fixture.installHook(
      "pre-receive", "unset GIT_QUARANTINE_PATH; git update-ref \(branch) \(winner)")
    expectRejected(try one.push(loser, to: branch, at: fixture.url, limits: TemporaryRemote.limits))
    #expect(try fixture.revision(branch) == "\(winner)")
  }

  @Test(arguments: TestRun.rows(Transport.allCases, ordinarily: 2))
  func `A hook that refuses causes a rejection with its reason`(_ transport: Transport) throws {
    try fixture.installHook("pre-receive", "echo 'no room for \u{1b}[31mred' >&2; exit 1")
    try withRemote(transport) { url, programs in
      let cache = try fixture.open("cache", programs: programs)
      let commit = try cache.commit(adding: [("x", bytes("1"))], onto: nil)
      guard case .rejected(let reason) = try cache.push(commit, to: branch, at: url, limits: TemporaryRemote.limits)
      else {
        Issue.record("accepted")
        return
      }
      #expect(reason.contains("pre-receive hook declined") && reason.contains("no room for"))
      #expect(!reason.contains("\u{1b}"))
      #expect(try cache.remoteReferences(of: url, limits: TemporaryRemote.limits).isEmpty)
    }
  }

  // A socket that is closed before it was read, and the program that runs git behind nginx here, lose the answer.
  @Test(arguments: TestRun.rows([Transport.path, .ssh]))
  func `A server that refuses a push before it has read it all is heard`(_ transport: Transport) throws {
    try Command.run("git", "-C", fixture.remotePath, "config", "receive.maxInputSize", "1000")
    try withRemote(transport) { url, programs in
      let cache = try fixture.open("cache", programs: programs)
      // More than the connection holds on its way.
      var random = SeededGenerator(seed: 1)
      let content = unsafe (0..<1 << 20).map { _ in random.next() }.withUnsafeBytes { unsafe Array($0) }
      let commit = try cache.commit(adding: [("x", content)], onto: nil)
      guard case .rejected(let reason) = try cache.push(commit, to: branch, at: url, limits: TemporaryRemote.limits)
      else {
        Issue.record("accepted")
        return
      }
      // Git at a path keeps a large push as a pack.
      let program = transport == .path ? "index-pack" : "unpack-objects"
      #expect(reason.contains("\(program) abnormal exit"), "\(reason)")
      #expect(try cache.remoteReferences(of: url, limits: TemporaryRemote.limits).isEmpty)
    }
  }

  @Test func `A hook that runs after the push is not interrupted`() throws {
    try fixture.installHook("post-receive", "sleep 0.5; echo done > \(fixture.directory.path("ran"))")
    let cache = try fixture.open("cache")
    let commit = try cache.commit(adding: [("x", bytes("1"))], onto: nil)
    #expect(try cache.push(commit, to: branch, at: fixture.url, limits: TemporaryRemote.limits) == .accepted)
    #expect(FileManager.default.fileExists(atPath: fixture.directory.path("ran")))
  }

  @Test(arguments: TestRun.rows(Transport.allCases, ordinarily: 2))
  func `A branch that was deleted at the remote is deleted by a fetch, and a push creates it again`(
    _ transport: Transport
  ) throws {
    try withRemote(transport) { url, programs in
      let cache = try fixture.open("cache", programs: programs)
      let first = try cache.commit(adding: [("x", bytes("1"))], onto: nil)
      let second = try cache.commit(adding: [("x", bytes("2"))], onto: first)
      #expect(try cache.push(second, to: branch, at: url, limits: TemporaryRemote.limits) == .accepted)
      expectRejected(try cache.push(first, to: branch, at: url, limits: TemporaryRemote.limits))
      #expect(try fixture.revision(branch) == "\(second)")
      #expect(try cache.fetch([branch: scratch], from: url, limits: TemporaryRemote.limits) == [branch: second])
      try Command.run("git", "-C", fixture.remotePath, "update-ref", "-d", branch)
      #expect(try cache.fetch([branch: scratch], from: url, limits: TemporaryRemote.limits).isEmpty)
      #expect(try cache.reference(scratch) == nil)
      #expect(try cache.push(first, to: branch, at: url, limits: TemporaryRemote.limits) == .accepted)
      #expect(try fixture.revision(branch) == "\(first)")
      try Command.run("git", "-C", fixture.remotePath, "update-ref", "-d", branch)
    }
  }

  @Test func `A rewritten branch is fetched nevertheless, and a deleted one is removed locally`() throws {
    let cache = try fixture.open("cache")
    let writer = try fixture.open("writer")
    let first = try writer.commit(adding: [("x", bytes("1"))], onto: nil)
    let stranger = try writer.commit(adding: [("y", bytes("1"))], onto: nil)
    #expect(try writer.push(first, to: branch, at: fixture.url, limits: TemporaryRemote.limits) == .accepted)
    #expect(
      try writer.push(stranger, to: "refs/heads/other", at: fixture.url, limits: TemporaryRemote.limits) == .accepted)
    try cache.fetch([branch: scratch], from: fixture.url, limits: TemporaryRemote.limits)
    try Command.run("git", "-C", fixture.remotePath, "update-ref", branch, "\(stranger)")
    try cache.fetch([branch: scratch], from: fixture.url, limits: TemporaryRemote.limits)
    #expect(try cache.reference(scratch) == stranger)
    try Command.run("git", "-C", fixture.remotePath, "update-ref", "-d", branch)
    try cache.fetch(from: fixture.url, limits: TemporaryRemote.limits) { references in
      #expect(references.keys.sorted() == ["refs/heads/other"])
      return [branch: scratch]
    }
    #expect(try cache.reference(scratch) == nil)
  }

  @Test func `A fetch without changes reads no commit of the cache`() throws {
    let writer = try fixture.open("writer")
    let first = try writer.commit(adding: [("x", bytes("1"))], onto: nil)
    let second = try writer.commit(adding: [("x", bytes("2"))], onto: first)
    #expect(try writer.push(second, to: branch, at: fixture.url, limits: TemporaryRemote.limits) == .accepted)
    try writer.setReference(scratch, to: second)
    let name = "\(first)"
    try FileManager.default.removeItem(atPath: "\(writer.path)/objects/\(name.prefix(2))/\(name.dropFirst(2))")
    #expect(try writer.fetch([branch: scratch], from: fixture.url, limits: TemporaryRemote.limits) == [branch: second])
    #expect(try writer.reference(scratch) == second)
    // A fetch that has to negotiate notices that the history is incomplete, and fetches all of it.
    let other = try fixture.open("other")
    try other.fetch([branch: scratch], from: fixture.url, limits: TemporaryRemote.limits)
    let third = try other.commit(adding: [("x", bytes("3"))], onto: second)
    #expect(try other.push(third, to: branch, at: fixture.url, limits: TemporaryRemote.limits) == .accepted)
    try writer.fetch([branch: scratch], from: fixture.url, limits: TemporaryRemote.limits)
    #expect(try writer.isAncestor(first, of: third))
  }

  private func expectRejected(_ outcome: PushOutcome) {
    guard case .rejected(let reason) = outcome else {
      Issue.record("accepted")
      return
    }
    #expect(!reason.isEmpty)
  }
}
