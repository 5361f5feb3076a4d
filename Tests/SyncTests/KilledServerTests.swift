import CofferTestSupport
import Foundation
import Testing

/// Servers that are lost in the middle of a push with all of their processes, and come back.
@Suite struct KilledServerTests {
  typealias Transport = ServedMachines.Transport

  /// Sends an item of the laptop, kills the server as soon as it has come to an event, and starts it again.
  ///
  /// - Parameters:
  ///   - machines: The machines.
  ///   - landed: Whether the server has moved the branch then.
  ///   - hasArrived: Whether the server has come to the event. It comes no further.
  ///   - location: Where a failure is reported.
  /// - Throws: An error of a program that must succeed.
  private func expectKill(
    _ machines: ServedMachines, landed: Bool, when hasArrived: () throws -> Bool,
    location: SourceLocation = #_sourceLocation
  ) throws {
    let server = try #require(machines.server)
    let (segments, tip) = (try machines.segments(), machines.remote.tip)
    try machines.laptop.set("waiting", "here")
    let sync = try machines.laptop.start("coffer", ["sync"])
    try waitUntil("the server has the push") { try !sync.isRunning || hasArrived() }
    // It waits for the answer of a push that is not over.
    #expect(sync.isRunning && (machines.remote.tip != tip) == landed, sourceLocation: location)
    server.kill()
    let outcome = try sync.wait()
    // With advice after what happened.
    #expect(Self.advises(outcome.errors, machines.url), "\(outcome)", sourceLocation: location)
    try machines.expectUnsent(machines.url, after: outcome, location: location)
    #expect((machines.remote.tip != tip) == landed, sourceLocation: location)
    // Nobody is there any more.
    try machines.expectUnsent(machines.url, location: location)
    try machines.heal()
    try server.restart()
    try machines.expectSent(after: segments, location: location)
  }

  /// Whether an error advises what is right at the loss of a server with this URL.
  private static func advises(_ errors: String, _ url: String) -> Bool {
    switch url.prefix(while: { $0 != ":" }) {
    case "ssh": errors.contains("; try: ssh -F ")
    // The system decides whether the connection is reset, or closed so that another one is tried, which nobody answers.
    case "http": errors.contains(/; (?:sync again|check the URL, the network and the proxy)/)
    default: errors.contains("; try again in a while; nothing is lost\n")
    }
  }

  /// Whether the server has objects that it has not accepted yet.
  private func hasObjectsInQuarantine(_ machines: ServedMachines) throws -> Bool {
    try FileManager.default.contentsOfDirectory(atPath: machines.remote.path + "/objects").contains {
      $0.contains("incoming-")
    }
  }

  @Test(arguments: [Transport.ssh, .http])
  func `A server that is killed when it has a part of the pack gets all of it when it runs again`(
    _ transport: Transport
  ) throws {
    let machines = try ServedMachines(transport)
    try machines.fail(.silentInPack)
    try expectKill(machines, landed: false) { try machines.isSilent && hasObjectsInQuarantine(machines) }
  }

  @Test(arguments: [Transport.ssh, .http, .daemon])
  func `A server that is killed when it has the pack and has not moved the branch gets the change when it runs again`(
    _ transport: Transport
  ) throws {
    let machines = try ServedMachines(transport)
    let asked = machines.remote.directory.path("asked")
    try machines.remote.setPushHook("touch '\(asked)'\nexec sleep 100000")
    try expectKill(machines, landed: false) {
      try FileManager.default.fileExists(atPath: asked) && hasObjectsInQuarantine(machines)
    }
  }

  @Test(arguments: [Transport.ssh, .http, .daemon])
  func `A server that is killed when it has moved the branch and has not answered has the change once`(
    _ transport: Transport
  ) throws {
    let machines = try ServedMachines(transport)
    let asked = machines.remote.directory.path("asked")
    let hook = "vault.git/hooks/reference-transaction"
    try machines.remote.directory.writeScript(
      hook, "[ \"$1\" = committed ] || exit 0\ntouch '\(asked)'\nexec sleep 100000")
    try expectKill(machines, landed: true) {
      let isAsked = FileManager.default.fileExists(atPath: asked)
      if isAsked { try? FileManager.default.removeItem(atPath: machines.remote.directory.path(hook)) }
      return isAsked
    }
  }
}
