import CofferTestSupport
import Foundation
import Testing

/// Ctrl-C while a server is silent.
@Suite struct InterruptedTransferTests {
  /// Begins to send an item of the laptop to a server that does not answer, and returns when the server has it.
  ///
  /// - Parameter machines: The machines.
  /// - Returns: The sync, and the path of a file that ends the silence.
  /// - Throws: An error if a program does not start.
  private func startSilentPush(_ machines: ServedMachines) throws -> (sync: RunningProgram, release: String) {
    try machines.laptop.set("waiting", "here")
    let (asked, release) = (machines.remote.directory.path("asked"), machines.remote.directory.path("release"))
    try machines.remote.setPushHook("touch '\(asked)'\nwhile [ ! -e '\(release)' ]; do sleep 0.1; done\nexit 1")
    let sync = try machines.laptop.start("coffer", ["sync"])
    try waitUntil("the server has the push") { FileManager.default.fileExists(atPath: asked) || !sync.isRunning }
    return (sync, release)
  }

  @Test(arguments: [SIGINT, SIGTERM], [ServedMachines.Transport.http, .daemon])
  func `Ctrl-C in the middle of a push ends the transport, leaves nothing behind, and the next sync sends everything`(
    signal: Int32, _ transport: ServedMachines.Transport
  ) throws {
    let machines = try ServedMachines(transport)
    let segments = try machines.segments()
    let (sync, release) = try startSilentPush(machines)
    kill(sync.processIdentifier, signal)
    let outcome = try sync.wait()
    #expect(outcome.exitCode == 130 && outcome.errors.hasSuffix(": interrupted\n"), "\(outcome)")
    try waitUntil("no process of the machine runs") { try machines.laptop.processes().isEmpty }
    try Data().write(to: URL(fileURLWithPath: release))
    try machines.heal()
    try machines.expectSent(after: segments)
  }

  /// A terminal sends the signal to all programs, but not to the transport, which has a session of its own. Another
  /// program may know `coffer` only.
  @Test(arguments: [["coffer", "coffer-sync"], ["coffer"]], [SIGINT, SIGTERM])
  func `Ctrl-C ends a clone over HTTP from a silent server, and nothing of it stays`(
    receivers: Set<String>, signal: Int32
  ) throws {
    let server = try ScriptedServer(answer: Array("HTTP/1.1 200 OK\r\n".utf8), isSilent: true)
    let machines = try ServedMachines(.path)
    let machine = try Machine()
    let clone = try machine.start(
      "coffer",
      [
        "clone", "--no-passphrase", "--vault-key-file", machines.two.key, "http://127.0.0.1:\(server.port)/vault.git",
      ])
    try waitUntil("the transport runs") {
      // The kernel cuts names off.
      try !clone.isRunning || !machine.processes(named: ["coffer-transpor"]).isEmpty
    }
    for process in try machine.processes(named: receivers) { kill(process, signal) }
    let outcome = try clone.wait()
    #expect(outcome.exitCode == 130 && outcome.errors.hasSuffix(": interrupted\n"), "\(outcome)")
    try waitUntil("no process of the machine runs") { try machine.processes().isEmpty }
    #expect(machine.files().isEmpty)
    try machine.coffer("clone", "--no-passphrase", "--vault-key-file", machines.two.key, machines.remote.path)
    #expect(try machine.storedValues() == ["kept": "value"])
  }

  #if os(Linux)
    @Test(arguments: [ServedMachines.Transport.ssh, .http, .daemon])
    func `The transport of a sync that is killed does not wait for a silent server, and the next sync sends everything`(
      _ transport: ServedMachines.Transport
    ) throws {
      let machines = try ServedMachines(transport)
      let segments = try machines.segments()
      let (sync, release) = try startSilentPush(machines)
      let syncing = try machines.laptop.processes(named: ["coffer-sync"])
      #expect(try syncing.count == 1 && machines.laptop.processes().count > 1)
      for process in syncing { kill(process, SIGKILL) }
      #expect(try sync.wait().signal == SIGKILL)
      try waitUntil("no process of the machine runs") { try machines.laptop.processes().isEmpty }
      try Data().write(to: URL(fileURLWithPath: release))
      try machines.heal()
      try machines.expectSent(after: segments)
    }
  #endif
}
