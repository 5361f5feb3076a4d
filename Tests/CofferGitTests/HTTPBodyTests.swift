import CofferGit
import CofferTestSupport
import Foundation
import Testing

/// Bodies of answers over HTTP that are compressed, have no end, or come with what a browser would keep.
@Suite struct HTTPBodyTests {
  private let fixture: TemporaryRemote

  init() throws { fixture = try TemporaryRemote() }

  private func fetch(_ port: UInt16, limits: TransferLimits) throws -> GitError? {
    let cache = try fixture.open(UUID().uuidString, programs: .forTests())
    let url = try RemoteURL("http://127.0.0.1:\(port)/x.git")
    return failure { try cache.fetch(from: url, limits: limits) { _ in [branch: scratch] } }
  }

  private static let advertisement = "application/x-git-upload-pack-advertisement"

  private static func http(_ status: String = "200 OK", type: String = advertisement, _ headers: String...) -> String {
    "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\n" + headers.map { $0 + "\r\n" }.joined() + "\r\n"
  }

  private static func packet(_ text: String) -> String {
    let length = String(text.utf8.count + 4, radix: 16)
    return String(repeating: "0", count: 4 - length.count) + length + text
  }

  private static let opening = packet("# service=git-upload-pack\n") + "0000"

  @Test func `A compressed answer is read like any other`() throws {
    var options = GitHTTPServer.Options()
    options.directives = """
      gzip on; gzip_min_length 1; gzip_http_version 1.0;
      gzip_types application/x-git-upload-pack-advertisement application/x-git-upload-pack-result;
      """
    let server = try GitHTTPServer(fixture.directory.url, options: options)
    let writer = try fixture.open("writer")
    let content = Array(String(repeating: "the same again ", count: 10_000).utf8)
    let commit = try writer.commit(adding: [("x", content)], onto: nil)
    #expect(try writer.push(commit, to: branch, at: fixture.url, limits: TemporaryRemote.limits) == .accepted)
    let reader = try fixture.open("reader", programs: .forTests())
    try reader.fetch([branch: scratch], from: RemoteURL(server.url("remote.git")), limits: TemporaryRemote.limits)
    #expect(try reader.blob(at: "x", in: commit, maximumByteCount: content.count) == content)
    let requests = try server.requests
    #expect(requests.count == 2 && requests.allSatisfy { $0.hasSuffix(" gzip") }, "\(requests)")
  }

  @Test func `An answer that inflates to more than the limit is cut off`() throws {
    // 256 MiB of references that are 256 KB.
    let file = fixture.directory.path("bomb")
    try Command.run(
      "python3", "-c",
      """
      import gzip, sys
      packet = b"003d" + b"1" * 40 + b" refs/heads/" + b"x" * 4 + b"\\n"
      body = b"001e# service=git-upload-pack\\n0000" + packet * (256 * 1024 * 1024 // len(packet))
      open(sys.argv[1], "wb").write(gzip.compress(body, 6))
      """, file)
    let body = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
    #expect(body.count < 2 << 20)
    let head = Self.http("200 OK", type: Self.advertisement, "Content-Encoding: gzip", "Content-Length: \(body.count)")
    let server = try ScriptedServer(answer: Array(head.utf8) + body, isSilent: true)
    let error = try fetch(server.port, limits: TemporaryRemote.limits)
    #expect(error?.code == .tooLarge, "\(String(describing: error))")
    #expect(error?.message.contains("bytes of references") == true)
  }

  /// An answer without end.
  struct Endless: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let code: GitError.Code
    let words: String
    let head: String
    let rest: String
  }

  private static let endless = [
    Endless(
      testDescription: "a list of references", code: .tooLarge, words: "bytes of references", head: http() + opening,
      rest: String(repeating: packet("\(String(repeating: "1a", count: 20)) refs/heads/x\n"), count: 1000)),
    Endless(
      testDescription: "one packet after another", code: .protocolError, words: "", head: http() + opening,
      rest: String(repeating: packet("x"), count: 1000)),
    Endless(
      testDescription: "a page for an error", code: .noRepository, words: "(404)",
      head: http("404 Not Found", type: "text/plain"), rest: String(repeating: "no ", count: 1000)),
    Endless(
      testDescription: "a page of a login", code: .protocolError, words: "a page for people",
      head: http(type: "text/html"), rest: String(repeating: "<p>", count: 1000)),
    Endless(
      testDescription: "the body of a redirect", code: .protocolError, words: "another server",
      head: http("302 Found", type: "text/plain", "Location: http://127.0.0.2/info/refs?service=git-upload-pack"),
      rest: String(repeating: "there ", count: 1000)),
    Endless(
      testDescription: "the body of a request for a password", code: .authenticationFailed,
      words: "asks for a password",
      head: http("401 Unauthorized", type: "text/plain", "WWW-Authenticate: Basic realm=x"),
      rest: String(repeating: "who ", count: 1000)),
    Endless(
      testDescription: "interim answers", code: .protocolError, words: "", head: "",
      rest: String(repeating: "HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n", count: 1000)),
  ]

  @Test(arguments: endless)
  func `An answer without end is cut off`(_ answer: Endless) throws {
    let server = try ScriptedServer(
      answer: Array(answer.head.utf8), isSilent: true, endless: Array(answer.rest.utf8))
    var limits = TemporaryRemote.limits
    limits.maximumReferenceBytes = 1 << 20
    let error = try fetch(server.port, limits: limits)
    #expect(
      error?.code == answer.code && error?.message.contains(words: answer.words) == true, "\(String(describing: error))"
    )
  }

  @Test func `Messages for people without end are cut off, and fill no memory`() throws {
    let references = Self.packet("\(String(repeating: "1a", count: 20)) \(branch)\0side-band-64k ofs-delta\n") + "0000"
    let message = "\u{2}" + String(repeating: "hello ", count: 5000)
    // The server gives the same answer to the request for objects, whose type decides: so it runs behind a real nginx.
    let endless = try ScriptedServer(
      answer: Array((Self.http(type: "application/x-git-upload-pack-result") + Self.packet("NAK\n")).utf8),
      isSilent: true, endless: Array(Self.packet(message).utf8))
    let list = try ScriptedServer(answer: Array((Self.http() + Self.opening + references).utf8), isSilent: false)
    var options = GitHTTPServer.Options()
    options.directives = """
      proxy_buffering off;
      location /x.git/info/refs { proxy_pass http://127.0.0.1:\(list.port); }
      location /x.git/git-upload-pack { proxy_pass http://127.0.0.1:\(endless.port); }
      """
    let server = try GitHTTPServer(fixture.directory.url, options: options)
    var limits = TemporaryRemote.limits
    limits.maximumBytes = 8 << 20
    let error = try fetch(server.port, limits: limits)
    #expect(
      error?.code == .tooLarge && error?.message.contains("more than 8388608 bytes") == true,
      "\(String(describing: error))")
  }

  @Test func `A server that drips bytes which count for nothing is given up after the idle timeout`() throws {
    // A page for an error is read and not passed on, so it is no sign of life.
    let server = try ScriptedServer(
      answer: Array((Self.http("404 Not Found", type: "text/plain") + "no").utf8), isSilent: true)
    var limits = TemporaryRemote.limits
    (limits.connectTimeout, limits.idleTimeout) = (.seconds(2), .seconds(2))
    #expect(try fetch(server.port, limits: limits)?.code == .timedOut)
  }

  @Test func `A cookie that a server sets is not sent back`() throws {
    var options = GitHTTPServer.Options()
    options.directives = "add_header Set-Cookie \"machine=42; Path=/; Max-Age=9999\" always;"
    let server = try GitHTTPServer(fixture.directory.url, options: options)
    let cache = try fixture.open("cache", programs: .forTests())
    let commit = try cache.commit(adding: [("x", bytes("1"))], onto: nil)
    let url = try RemoteURL(server.url("remote.git"))
    #expect(try cache.push(commit, to: branch, at: url, limits: TemporaryRemote.limits) == .accepted)
    #expect(try !cache.remoteReferences(of: url, limits: TemporaryRemote.limits).isEmpty)
    let requests = try server.requests
    #expect(requests.count == 3 && requests.allSatisfy { $0.contains(" \"-\" \"-\" ") }, "\(requests)")
  }
}

extension String {
  fileprivate func contains(words: String) -> Bool { words.isEmpty || contains(words) }
}
