import CofferGit
import CofferTestSupport
import Foundation
import Testing

@Suite struct TransferFailureTests {
  let fixture: TemporaryRemote

  init() throws {
    fixture = try TemporaryRemote()
  }

  func list(
    _ url: String? = nil, _ programs: TransportPrograms = TransportPrograms(),
    limits: TransferLimits = TemporaryRemote.limits, cancellation: Cancellation = Cancellation()
  ) throws -> GitError? {
    let url = try RemoteURL(url ?? "host:x.git")
    let cache = try fixture.open("cache", programs: programs)
    return failure { _ = try cache.remoteReferences(of: url, limits: limits, cancellation: cancellation) }
  }

  @Test func `A closed port is reported as unreachable`() throws {
    let server = try SSHServer()
    defer { server.stop() }
    let closed = try ClosedPort()
    let port = closed.number
    let programs = TransportPrograms(sshConfiguration: server.clientConfiguration)
    let error = try list("ssh://127.0.0.1:\(port)\(fixture.remotePath)", programs)
    #expect(error?.code == .unreachable)
    #expect(error?.message.contains("Connection refused") == true)
    #expect(error?.recoverySuggestion == "try: ssh -F \(server.clientConfiguration) -p \(port) 127.0.0.1")
  }

  @Test func `A wrong host key and a wrong user key are distinguished, and nothing is sent`() throws {
    let server = try SSHServer()
    defer { server.stop() }
    let url = "coffer-test:\(fixture.remotePath)"
    let hostKey = try list(url, TransportPrograms(sshConfiguration: server.clientConfigurationWithWrongHostKey))
    #expect(hostKey?.code == .authenticationFailed)
    #expect(hostKey?.message.contains("host key") == true)
    #expect(hostKey?.recoverySuggestion?.contains("compare it with the server's, then try: ssh -F ") == true)
    let userKey = try list(url, TransportPrograms(sshConfiguration: server.clientConfigurationWithWrongKey))
    #expect(userKey?.code == .authenticationFailed)
    #expect(userKey?.message.contains("Permission denied (publickey)") == true)
    #expect(userKey?.recoverySuggestion?.hasSuffix(" coffer-test") == true)
  }

  @Test func `A missing repository is not found, by path and by ssh, for reading and writing`() throws {
    let server = try SSHServer()
    defer { server.stop() }
    let programs = TransportPrograms(sshConfiguration: server.clientConfiguration)
    let absent = fixture.directory.path("absent.git")
    #expect(try list(absent)?.code == .noRepository)
    #expect(try list("coffer-test:\(absent)", programs)?.code == .noRepository)
    let cache = try fixture.open("cache", programs: programs)
    let commit = try cache.commit(adding: [], onto: nil)
    for url in [absent, "coffer-test:\(absent)"] {
      let url = try RemoteURL(url)
      #expect(
        failure { _ = try cache.push(commit, to: branch, at: url, limits: TemporaryRemote.limits) }?.code
          == .noRepository)
    }
  }

  @Test func `A path with quotes, spaces and shell syntax arrives at the remote git unchanged`() throws {
    let server = try SSHServer()
    defer { server.stop() }
    let trap = fixture.directory.path("trap")
    let path = fixture.directory.path("it's $(touch trap) `touch trap` ! \"x\"; touch trap.git")
    try Command.run("git", "init", "-q", "--bare", path)
    let programs = TransportPrograms(sshConfiguration: server.clientConfiguration)
    for url in [path, "coffer-test:\(path)"] {
      #expect(try list(url, programs) == nil)
    }
    #expect(!FileManager.default.fileExists(atPath: trap))
  }

  @Test func `A program that is not installed is named`() throws {
    #expect(try list("host:x", TransportPrograms(ssh: "/absent/ssh"))?.code == .missingProgram)
    #expect(try list(fixture.remotePath, TransportPrograms(git: "absent-git"))?.code == .missingProgram)
    let programs = try fixture.installSSH("echo 'sh: 1: git-upload-pack: not found' >&2; exit 127")
    let error = try list("host:x", programs)
    #expect(error?.code == .missingProgram, "\(String(describing: error))")
  }

  @Test func `git's refusal of another user's repository comes with the recovery suggestion`() throws {
    let programs = try fixture.installGit(
      "GIT_CONFIG_GLOBAL=/dev/null GIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec git \"$@\"")
    let error = try list(fixture.remotePath, programs)
    #expect(error?.code == .permissionDenied)
    #expect(error?.recoverySuggestion?.contains("safe.directory") == true)
  }

  @Test func `A server that never answers times out, and its processes are ended`() throws {
    let directory = fixture.directory
    let programs = try fixture.installSSH(
      "sleep 600 & echo $! > \(directory.path("grandchild")); echo $$ > \(directory.path("child")); wait")
    var limits = TemporaryRemote.limits
    limits.connectTimeout = .seconds(1)
    // Until the server has begun before it was ended.
    repeat {
      limits.connectTimeout *= 2
      try #require(limits.connectTimeout < longestWait)
      let start = ContinuousClock.now
      let error = try list(nil, programs, limits: limits)
      #expect(error?.code == .timedOut && error?.recoverySuggestion == "try: ssh host")
      #expect(ContinuousClock.now - start >= limits.connectTimeout)
    } while FileManager.default.contents(atPath: directory.path("child"))?.last != UInt8(ascii: "\n")
    for file in ["child", "grandchild"] {
      let identifier = try fixture.processIdentifier(in: file)
      #expect(waitForEnd(ofProcess: identifier))
    }
  }

  @Test func `A server that stops answering in the middle times out, whatever it prints to standard error`() throws {
    var limits = TemporaryRemote.limits
    limits.idleTimeout = .milliseconds(300)
    let programs = try fixture.installSSH("printf 00; while :; do echo complaint >&2; done")
    let error = try list(nil, programs, limits: limits)
    #expect(error?.code == .timedOut)
    #expect(error?.description.utf8.count ?? 0 < 10_000)
  }

  @Test func `A server that sends a few bytes at a time is ended by the total timeout`() throws {
    var limits = TemporaryRemote.limits
    limits.totalTimeout = .milliseconds(800)
    let programs = try fixture.installSSH("printf fff0; while :; do printf x; sleep 0.05; done")
    #expect(try list(nil, programs, limits: limits)?.code == .timedOut)
  }

  @Test func `A server that does not exit is ended, and its answer counts`() throws {
    var limits = TemporaryRemote.limits
    limits.idleTimeout = .milliseconds(100)
    let child = fixture.directory.path("child")
    let programs = try fixture.installGit("echo $$ > \(child); git \"$@\"; exec sleep 600")
    // A busy machine's git may be silent for longer than the timeout before it answers.
    var error: GitError?
    repeat {
      limits.idleTimeout *= 4
      try #require(limits.idleTimeout < longestWait)
      error = try list(fixture.remotePath, programs, limits: limits)
    } while error?.code == .timedOut
    #expect(error == nil)
    let identifier = try fixture.processIdentifier(in: "child")
    #expect(waitForEnd(ofProcess: identifier))
  }

  @Test func `Cancelling from another thread ends a transfer that waits, and one that has not begun`() throws {
    let programs = try fixture.installSSH("echo $$ > \(fixture.directory.path("child")); exec sleep 600")
    var limits = TemporaryRemote.limits
    limits.connectTimeout = .seconds(300)
    let cancellation = Cancellation()
    let child = fixture.directory.path("child")
    let thread = Thread {
      // The file's last byte is the newline, so the child has written its whole number.
      try? waitUntil("the child waits") { FileManager.default.contents(atPath: child)?.last == UInt8(ascii: "\n") }
      cancellation.cancel()
    }
    thread.start()
    #expect(try list(nil, programs, limits: limits, cancellation: cancellation)?.code == .cancelled)
    let identifier = try fixture.processIdentifier(in: "child")
    #expect(waitForEnd(ofProcess: identifier))
    #expect(try list(nil, programs, limits: limits, cancellation: cancellation)?.code == .cancelled)
  }

  @Test func `A remote that sends more than the limits allow is cut off, and nothing changes locally`() throws {
    let writer = try fixture.open("writer")
    let random = (0..<200_000).map { _ in UInt8.random(in: 0...255) }
    let commit = try writer.commit(adding: [("x", random)], onto: nil)
    #expect(try writer.push(commit, to: branch, at: fixture.url, limits: TemporaryRemote.limits) == .accepted)
    let reader = try fixture.open("reader")

    var bytes = TemporaryRemote.limits
    bytes.maximumBytes = 100_000
    var objects = TemporaryRemote.limits
    objects.maximumObjectCount = 2
    var references = TemporaryRemote.limits
    references.maximumReferenceBytes = 10
    for limits in [bytes, objects, references] {
      let error = try #require(failure { try reader.fetch([branch: scratch], from: fixture.url, limits: limits) })
      #expect(error.code == .tooLarge)
      #expect(try reader.reference(scratch) == nil)
    }
    try reader.fetch([branch: scratch], from: fixture.url, limits: TemporaryRemote.limits)
    #expect(try reader.reference(scratch) == commit)
  }

  @Test(arguments: [
    "exit 0", "exit 3", "echo Welcome", "printf 0001", "printf 0003", "printf ffff", "printf 0008xxxx",
    "head -c 100000 /dev/urandom", "printf '003fzzzz refs/heads/x'", "printf '0010ERR go away'", "kill -9 $$",
    "printf '003e%040d refs/heads/../../x\\n0000' 1",
  ])
  func `Data that is not git's protocol is an error and not a crash`(_ script: String) throws {
    let programs = try fixture.installSSH(script)
    let error = try list(nil, programs)
    #expect(error?.code == .protocolError)
  }

  @Test func `An answer of only a flush packet is an empty repository`() throws {
    #expect(try list(nil, fixture.installSSH("printf 0000")) == nil)
  }

  @Test func `A damaged object on the remote fails the fetch, and the cache is unchanged`() throws {
    let writer = try fixture.open("writer")
    let commit = try writer.commit(adding: [("x", bytes("1"))], onto: nil)
    #expect(try writer.push(commit, to: branch, at: fixture.url, limits: TemporaryRemote.limits) == .accepted)
    let blob = try fixture.revision("\(commit):x")
    let path = "remote.git/objects/\(blob.prefix(2))/\(blob.dropFirst(2))"
    try FileManager.default.removeItem(atPath: fixture.directory.path(path))
    try fixture.directory.write(path, "nonsense")
    let reader = try fixture.open("reader")
    let url = try fixture.url
    let error = failure { try reader.fetch([branch: scratch], from: url, limits: TemporaryRemote.limits) }
    #expect(error?.code == .protocolError)
    #expect(try reader.reference(scratch) == nil)
  }

  @Test(arguments: [true, false])
  func `With any byte of an answer changed or missing, a fetch fails or returns the pushed commit`(_ isTruncated: Bool)
    throws
  {
    let writer = try fixture.open("writer")
    let commit = try writer.commit(adding: [("a/x", bytes("content")), ("y", bytes("more"))], onto: nil)
    #expect(try writer.push(commit, to: branch, at: fixture.url, limits: TemporaryRemote.limits) == .accepted)
    let damage =
      isTruncated
      ? "$n + length $b > $k and $b = substr($b, 0, $k - $n) and $last = 1"
      : "$k >= $n && $k < $n + length $b and substr($b, $k - $n, 1) ^= chr(1)"
    var limits = TemporaryRemote.limits
    limits.idleTimeout = .milliseconds(200)
    limits.connectTimeout = .milliseconds(1000)
    var outcomes: Set<Bool> = []
    let url = try fixture.url
    for offset in [1_000_000] + TestRun.rows(Array(stride(from: 0, to: 900, by: 11)), ordinarily: 24) {
      let programs = try fixture.installGit(
        """
        git "$@" | perl -e '
          $k = \(offset); $n = 0;
          while (!$last && sysread(STDIN, $b, 65536)) { $m = length $b; \(damage); syswrite(STDOUT, $b); $n += $m }'
        """)
      let name = "reader-\(offset)"
      let reader = try fixture.open(name, programs: programs)
      let error = failure {
        try reader.fetch([branch: scratch], from: url, limits: offset == 1_000_000 ? TemporaryRemote.limits : limits)
      }
      let tip = try reader.reference(scratch)
      // If the byte is in the name of the branch, the answer is sound, and names another branch.
      #expect(error == nil || tip == nil)
      if let tip {
        #expect(tip == commit)
        #expect(try reader.blob(at: "a/x", in: tip, maximumByteCount: 99) == bytes("content"))
      }
      #expect(error?.code != .corrupt)
      if offset == 1_000_000 { #expect(error == nil, "the answer unchanged must be good") }
      outcomes.insert(error == nil)
    }
    #expect(outcomes == [true, false])
  }

  @Test func `Control characters that a remote prints are not in the error`() throws {
    let programs = try fixture.installSSH("printf 'no \\033[31mred\\r\\n\\302\\205 here\\n' >&2; exit 255")
    let error = try #require(try list(nil, programs))
    #expect(error.message.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7f...0x9f).contains($0.value) })
    #expect(error.message.contains("here"))
  }

  @Test func `A remote that disconnects during a push fails the push and not the process`() async throws {
    let programs = try fixture.installGit("exec git \"$@\" < /dev/null")
    let cache = try fixture.open("cache", programs: programs)
    let random = (0..<1_000_000).map { _ in UInt8.random(in: 0...255) }
    let commit = try cache.commit(adding: [("x", random)], onto: nil)
    let url = try fixture.url
    let error = failure { _ = try cache.push(commit, to: branch, at: url, limits: TemporaryRemote.limits) }
    #expect(error?.code == .protocolError)
    #expect(try Command.run("git", "-C", cache.path, "for-each-ref") == "")
  }
}
