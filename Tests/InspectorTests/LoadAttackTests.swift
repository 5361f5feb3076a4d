import CofferTestSupport
import Foundation
import Testing

/// Connections that are many, slow or never end.
@Suite(.serialized) struct LoadAttackTests {
  @Test func `1,000 connections at once keep no browser out, and the server answers afterwards`() throws {
    let inspector = try RunningInspector()
    let session = try inspector.enter()
    let kept = try RawConnection(port: inspector.port)
    try kept.send(inspector.request("GET", "/", as: session))
    #expect(try kept.response().status == 200)
    let before = try inspector.memory("VmHWM")

    var connections: [RawConnection] = []
    for _ in 1...1000 { if let one = try? RawConnection(port: inspector.port) { connections.append(one) } }
    #expect(connections.count > 900)
    // A connection of before, and a new one.
    try kept.send(inspector.request("GET", "/", as: session))
    #expect(try kept.response().status == 200)
    #expect(try inspector.send("GET", "/", as: session).status == 200)
    for connection in connections { try? connection.send("GET / HT") }
    #expect(try inspector.send("GET", "/", as: session).status == 200)
    #expect(try inspector.memory("Threads") < 100)
    #expect(try openDescriptors(of: inspector) < 200)
    connections = []
    #expect(try inspector.send("GET", "/", as: session).status == 200)
    let after = try inspector.memory("VmHWM")
    #expect(after - before < 60_000, "\(before) KiB before, \(after) KiB after")
    #expect(try inspector.end().exitCode == 0)
  }

  @Test func `Slow requests end after 10 seconds, and others do not wait for them`() throws {
    let inspector = try RunningInspector()
    let session = try inspector.enter()
    // A body that never comes.
    let body = try RawConnection(port: inspector.port)
    try body.send(
      inspector.request("POST", "/lock", form: "", as: session)
        .replacingOccurrences(of: "Content-Length: 0", with: "Content-Length: 10"))
    // If the machine stops until all slow requests have ended, nobody could wait for them, and they begin again.
    var answeredMeanwhile = 0
    for _ in 1...5 where answeredMeanwhile == 0 {
      let start = ContinuousClock.now
      var open = try (1...100).map { _ in try RawConnection(port: inspector.port) }
      for connection in open { try connection.send("GET / HTTP/1.1\r\n") }
      try waitUntil("all slow requests have ended") {
        let status = try inspector.send("GET", "/", as: session).status
        #expect(status == 200)
        open = open.filter { (try? $0.send("X: y\r\n")) != nil }
        #expect(open.count == 100 || ContinuousClock.now - start >= .seconds(10), "\(open.count) are left")
        if !open.isEmpty { answeredMeanwhile += 1 }
        usleep(100_000)
        return open.isEmpty
      }
    }
    #expect(answeredMeanwhile > 0)
    #expect(try body.readToEnd().isEmpty)
    #expect(try inspector.end().exitCode == 0)
  }

  @Test func `A reader that never reads delays nobody, and does not fill the memory`() throws {
    let inspector = try RunningInspector()
    let session = try inspector.enter()
    let before = try inspector.memory("VmHWM")
    let request = inspector.request("GET", "/", as: session)
    let connections = try (1...20).map { _ in try RawConnection(port: inspector.port, timeout: 1) }
    for connection in connections { try? connection.send(String(repeating: request, count: 2000)) }
    #expect(try inspector.send("GET", "/", as: session).status == 200)
    let after = try inspector.memory("VmHWM")
    #expect(after - before < 60_000, "\(before) KiB before, \(after) KiB after")
    extendLifetime(connections)
    #expect(try inspector.end().exitCode == 0)
  }

  private func openDescriptors(of inspector: RunningInspector) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(inspector.program.processIdentifier)/fd").count
  }
}
