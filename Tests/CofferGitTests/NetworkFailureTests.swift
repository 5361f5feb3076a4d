import CofferGit
import CofferTestSupport
import Foundation
import Testing

/// Servers that go silent, disappear or speak nonsense at any step, over HTTP and the git protocol.
@Suite struct NetworkFailureTests {
  let fixture: TemporaryRemote

  init() throws { fixture = try TemporaryRemote() }

  private static let advertisement = "application/x-git-upload-pack-advertisement"
  private static let id = String(repeating: "1a", count: 20)
  private static let references = "004b\(id) refs/heads/vault-1\0 multi_ack\n0000"

  private static func http(_ body: String, type: String = advertisement, length: Int? = nil) -> String {
    "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: \(length ?? body.utf8.count)\r\n\r\n\(body)"
  }

  private func fetch(
    _ url: String, limits: TransferLimits = TemporaryRemote.limits, cancellation: Cancellation = Cancellation()
  ) throws -> GitError? {
    let cache = try fixture.open(UUID().uuidString, programs: .forTests())
    let url = try RemoteURL(url)
    return failure {
      try cache.fetch(from: url, limits: limits, cancellation: cancellation) { _ in [branch: scratch] }
    }
  }

  @Test(arguments: [
    "", "HTTP/1.1 200 OK\r\n", http("", length: 100), http("001e# serv", length: 1000),
    http("001e# service=git-upload-pack\n0000", length: 1000),
  ])
  func `A server that goes silent at any byte of its answer times out, over HTTP and git`(_ answer: String) throws {
    let server = try ScriptedServer(answer: Array(answer.utf8), isSilent: true)
    var limits = TemporaryRemote.limits
    (limits.connectTimeout, limits.idleTimeout) = (.seconds(1), .seconds(1))
    let start = ContinuousClock.now
    #expect(try fetch("http://127.0.0.1:\(server.port)/x.git", limits: limits)?.code == .timedOut)
    #expect(ContinuousClock.now - start >= .seconds(1))
    let plain = try ScriptedServer(answer: Array(Self.references.utf8.prefix(answer.utf8.count)), isSilent: true)
    #expect(try fetch("git://127.0.0.1:\(plain.port)/x.git", limits: limits)?.code == .timedOut)
  }

  @Test(arguments: [
    "", "nonsense\n", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 999 X\r\n\r\n", "HTTP/9 x\r\n\r\n",
    http("", length: 100), http("001e# service=git-upload-pack\n0000", length: 1000),
    http("001e# service=git-upload-pack\n0000zzzz"), http("001e# service=git-upload-pack\n0000fff0"),
    http("001e# service=git-upload-pack\n0000003fzzzz refs/heads/x\0\n0000"),
    http("001e# service=git-upload-pack\n00000010ERR go away"),
    // The list is good; the answer to the request after it is the list again.
    http("001e# service=git-upload-pack\n0000\(references)"),
    "HTTP/1.1 200 OK\r\nContent-Type: \(advertisement)\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
  ])
  func `An answer that is cut off or nonsense is an error and not a crash, over HTTP`(_ answer: String) throws {
    let server = try ScriptedServer(answer: Array(answer.utf8), isSilent: false)
    let error = try fetch("http://127.0.0.1:\(server.port)/x.git")
    #expect(error?.code == .protocolError, "\(String(describing: error))")
    // libgit2 has looked for settings before, and the error is not about them.
    #expect(error?.message.contains("followRedirects") == false, "\(String(describing: error))")
  }

  @Test(arguments: ["", "zzzz", "0003", "fff0", "003fzzzz refs/heads/x", "0010ERR go away", references + "0008xxxx"])
  func `An answer that is cut off or nonsense is an error and not a crash, over git`(_ answer: String) throws {
    let server = try ScriptedServer(answer: Array(answer.utf8), isSilent: false)
    let error = try fetch("git://127.0.0.1:\(server.port)/x.git")
    #expect(error?.code == .protocolError, "\(String(describing: error))")
  }

  @Test func `A header without end does not fill the memory`() throws {
    let answer = "HTTP/1.1 200 OK\r\n" + String(repeating: "X: \(String(repeating: "y", count: 1000))\r\n", count: 1000)
    let server = try ScriptedServer(answer: Array(answer.utf8), isSilent: true)
    #expect(try fetch("http://127.0.0.1:\(server.port)/x.git")?.code == .protocolError)
  }

  @Test func `A daemon that is not there, and a repository that is not, are told apart`() throws {
    let closed = try ClosedPort()
    let refused = try fetch("git://127.0.0.1:\(closed.number)/x.git")
    #expect(refused?.code == .unreachable, "\(String(describing: refused))")
    let unknown = try fetch("git://does-not-exist.invalid/x.git")
    #expect(unknown?.code == .unreachable && unknown?.message.contains("does-not-exist.invalid") == true)
    let daemon = try GitDaemon(fixture.directory.url)
    let missing = try fetch(daemon.url("absent.git"))
    #expect(missing?.code == .noRepository, "\(String(describing: missing))")
  }

  @Test func `Cancelling ends a transfer over HTTP that waits`() throws {
    let server = try ScriptedServer(answer: [], isSilent: true)
    let cancellation = Cancellation()
    let request = server.requestPath
    let thread = Thread {
      _ = try? waitForFile(request)
      cancellation.cancel()
    }
    thread.start()
    #expect(try fetch("http://127.0.0.1:\(server.port)/x.git", cancellation: cancellation)?.code == .cancelled)
  }

  @Test func `A transport that is missing is named`() throws {
    var programs = TransportPrograms.forTests()
    programs.transport = nil
    let cache = try fixture.open("cache", programs: programs)
    let error = failure {
      _ = try cache.remoteReferences(of: RemoteURL("https://host/x"), limits: TemporaryRemote.limits)
    }
    #expect(error?.code == .missingProgram && error?.message.contains("coffer-transport") == true)
  }

  @Test func `A machine that works for longer than a server may be silent is not taken for a silent server`() throws {
    let writer = try fixture.open("writer")
    let commit = try writer.commit(adding: [("file", bytes("content"))], onto: nil)
    #expect(try writer.push(commit, to: branch, at: fixture.url, limits: TemporaryRemote.limits) == .accepted)
    let daemon = try GitDaemon(fixture.directory.url)
    let url = try RemoteURL(daemon.url("remote.git"))
    var limits = TemporaryRemote.limits
    limits.idleTimeout = .milliseconds(250)
    var error: GitError?
    repeat {
      // Until a busy machine's server is fast enough.
      limits.idleTimeout *= 2
      try #require(limits.idleTimeout < .seconds(20), "\(String(describing: error))")
      let reader = try fixture.open(UUID().uuidString, programs: .forTests())
      error = failure {
        try reader.fetch(from: url, limits: limits) { _ in
          Thread.sleep(forTimeInterval: limits.idleTimeout / .seconds(1) * 1.2)
          return [branch: scratch]
        }
      }
    } while error?.code == .timedOut
    #expect(error == nil)
  }
}
