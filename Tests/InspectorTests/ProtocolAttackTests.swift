import CofferTestSupport
import Foundation
import Testing

/// Bytes that are no proper request, or more than one.
@Suite struct ProtocolAttackTests {
  private let inspector: RunningInspector
  private let session: RunningInspector.Session

  init() throws {
    (inspector, session) = try RunningInspector.shared()
  }

  /// Takes a program of its own, whose memory no other test uses.
  private init(_ inspector: RunningInspector) throws {
    self.inspector = inspector
    session = try inspector.enter()
  }

  /// Sends bytes and returns the status of the response, after which the connection must end.
  private func attack(_ bytes: String) throws -> Int {
    let connection = try RawConnection(port: inspector.port)
    try connection.send(bytes)
    let response = try connection.response()
    // Nothing after it is read as a request of its own.
    let rest = try connection.readToEnd()
    #expect(!String(decoding: rest, as: UTF8.self).contains("HTTP/1.1"))
    return response.status
  }

  private func expectAlive() throws {
    #expect(try inspector.send("GET", "/", as: session).status == 200)
  }

  @Test(arguments: [
    "Content-Length: 5\r\nContent-Length: 44\r\n", "Content-Length: 5\r\nContent-Length: 5\r\n",
    "Content-Length: 5, 44\r\n", "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
    "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
    "Transfer-Encoding: xchunked\r\n", "Transfer-Encoding : chunked\r\n", "Transfer-Encoding:\u{0B}chunked\r\n",
    "Content-Length: +5\r\n", "Content-Length: -1\r\n", "Content-Length: 0x5\r\n", "Content-Length : 5\r\n",
    "Content-Length: 99999999999999999999\r\n", "Content-Length: 5\r\n Transfer-Encoding: chunked\r\n",
    "X: y\rContent-Length: 5\r\n", "X: y\nContent-Length: 5\r\n", "X\0: y\r\n", "X: y\0\r\n", ": y\r\n",
  ])
  func `A request that two programs could read differently is refused, and its connection ends`(header: String) throws {
    let hidden = "GET /hidden HTTP/1.1\r\nHost: \(inspector.host)\r\nCookie: \(session.cookie)\r\n\r\n"
    let request =
      "POST /lock HTTP/1.1\r\nHost: \(inspector.host)\r\nOrigin: \(inspector.origin)\r\n"
      + "Sec-Fetch-Site: same-origin\r\nCookie: \(session.cookie)\r\n\(header)\r\n0\r\n\r\n\(hidden)"
    #expect(try attack(request) == 400)
    try expectAlive()
  }

  @Test(arguments: [
    ("GET / HTTP/1.0\r\nHost: HOST\r\n\r\n", 505), ("GET / HTTP/1.1\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: HOST\r\nHost: HOST\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: HOST\r\nhost: evil\r\n\r\n", 400),
    ("GET http://evil.example/ HTTP/1.1\r\nHost: HOST\r\n\r\n", 400), ("GET * HTTP/1.1\r\nHost: HOST\r\n\r\n", 400),
    ("GET / HTTP/2.0\r\nHost: HOST\r\n\r\n", 400), ("GET /\r\n\r\n", 400), ("\u{16}\u{03}\u{01}\u{02}", 400),
    ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400), ("GET /\u{7F} HTTP/1.1\r\nHost: HOST\r\n\r\n", 400),
    ("GET /a b HTTP/1.1\r\nHost: HOST\r\n\r\n", 400), ("CONNECT HOST HTTP/1.1\r\nHost: HOST\r\n\r\n", 400),
  ])
  func `What is no request of a browser is refused`(bytes: String, status: Int) throws {
    #expect(try attack(bytes.replacingOccurrences(of: "HOST", with: inspector.host)) == status)
    try expectAlive()
  }

  @Test func `Requests in one packet are answered in their order`() throws {
    let connection = try RawConnection(port: inspector.port)
    try connection.send(
      inspector.request("GET", "/", as: session) + inspector.request("GET", "/x") + inspector.request("GET", "/"))
    #expect(try connection.response().text.contains(session.csrf))
    #expect(try connection.response().status == 403)
    #expect(try connection.response().text.contains("entry"))
  }

  @Test func `A session belongs to a request and not to its connection`() throws {
    let connection = try RawConnection(port: inspector.port)
    try connection.send(inspector.request("GET", "/", as: session))
    #expect(try connection.response().status == 200)
    try connection.send(inspector.request("GET", "/items"))
    #expect(try connection.response().status == 403)
  }

  @Test func `A header of 10 MB is refused after its first 16 KiB, and takes no memory`() throws {
    try Self(RunningInspector()).expectLargeHeadersRefused()
  }

  private func expectLargeHeadersRefused() throws {
    // Small enough to be sent and answered whole, so that the limit itself is seen.
    let allowed = try inspector.send("GET", "/", ["X": String(repeating: "a", count: 12 << 10)], as: session)
    #expect(allowed.status == 200)
    let refused = try inspector.send("GET", "/", ["X": String(repeating: "a", count: 17 << 10)], as: session)
    #expect(refused.status == 400, "\(refused)")
    let before = try inspector.memory("VmHWM")
    for name in ["Cookie", "X"] {
      let connection = try RawConnection(port: inspector.port)
      let header = "GET / HTTP/1.1\r\nHost: \(inspector.host)\r\n\(name): "
      try? connection.send(header + String(repeating: "a", count: 10_000_000))
      #expect(try connection.response().status == 400)
    }
    let target = try RawConnection(port: inspector.port)
    try? target.send("GET /" + String(repeating: "a", count: 10_000_000))
    let many = try RawConnection(port: inspector.port)
    try? many.send("GET / HTTP/1.1\r\n" + String(repeating: "a: b\r\n", count: 1_000_000))
    _ = (try? target.readToEnd(), try? many.readToEnd())
    try expectAlive()
    let after = try inspector.memory("VmHWM")
    #expect(after - before < 20_000, "\(before) KiB before, \(after) KiB after")
  }

  @Test(arguments: ["zz\r\nabc\r\n", "5\r\nabcdefgh\r\n", "-1\r\n", "ffffffffffffffffff\r\na\r\n"])
  func `Malformed chunks are the client's fault`(_ body: String) throws {
    let connection = try RawConnection(port: inspector.port)
    try connection.send(
      "POST /session HTTP/1.1\r\nHost: \(inspector.host)\r\nOrigin: \(inspector.origin)\r\n"
        + "Content-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n\(body)")
    #expect(try connection.response().status == 400)
    try expectAlive()
  }

  @Test func `A body of 1 GB is refused by its claim, and never read`() throws {
    try Self(RunningInspector()).expectLargeBodiesRefused()
  }

  private func expectLargeBodiesRefused() throws {
    let before = try inspector.memory("VmHWM")
    let head =
      "POST /session HTTP/1.1\r\nHost: \(inspector.host)\r\nOrigin: \(inspector.origin)\r\n"
      + "Content-Type: application/x-www-form-urlencoded\r\n"
    for (extra, path) in [("", "/session"), ("Cookie: \(session.cookie)\r\n", "/items")] {
      let connection = try RawConnection(port: inspector.port)
      try connection.send(
        head.replacingOccurrences(of: "/session", with: path) + extra + "Content-Length: 1000000000\r\n\r\n")
      #expect(try connection.response().status == 413)
      #expect(try connection.readToEnd() == [])
    }
    // A claim that is not made: chunks without end.
    let connection = try RawConnection(port: inspector.port)
    try connection.send(
      head.replacingOccurrences(of: "/session", with: "/items")
        + "Cookie: \(session.cookie)\r\nTransfer-Encoding: chunked\r\n\r\n")
    let chunk = "10000\r\n" + String(repeating: "a", count: 65_536) + "\r\n"
    #expect(throws: RawConnection.Failure.self) { for _ in 1...16_000 { try connection.send(chunk) } }
    try expectAlive()
    let after = try inspector.memory("VmHWM")
    #expect(after - before < 40_000, "\(before) KiB before, \(after) KiB after")
  }

  @Test func `A form with too many fields or a wrong encoding is refused`() throws {
    for form in [
      String(repeating: "a=b&", count: 300), "csrf=\(session.csrf)&a=%", "csrf=\(session.csrf)&a=%GG", "%=a",
    ] {
      #expect(try inspector.send("POST", "/items", form: form, as: session).status == 415)
    }
    try expectAlive()
  }
}
