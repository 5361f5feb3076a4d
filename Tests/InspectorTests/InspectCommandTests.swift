import CofferTestSupport
import Foundation
import Testing

/// `coffer inspect` as a command.
@Suite struct InspectCommandTests {
  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `Ctrl-C and signals end it with exit code 0`(signal: Int32) throws {
    let inspector = try RunningInspector()
    _ = try inspector.enter()
    let outcome = try inspector.end(signal: signal)
    #expect(outcome.exitCode == 0 && outcome.errors.contains("To end: Ctrl-C"), "\(outcome)")
    #expect(throws: RawConnection.Failure.self) { try RawConnection(port: inspector.port) }
  }

  @Test func `Both loopback addresses answer at the same port, and no other address does`() throws {
    let inspector = try RunningInspector()
    let connection = try RawConnection(port: inspector.port, isIPv6: true)
    try connection.send(inspector.request("GET", "/", ["Host": "[::1]:\(inspector.port)"]))
    #expect(try connection.response().status == 200)
    #if os(Linux)
      // The listening sockets of this port, by the kernel's list.
      let port = String(inspector.port, radix: 16, uppercase: true)
      let name = String(repeating: "0", count: 4 - port.count) + port
      var listening: [String] = []
      for path in ["/proc/net/tcp", "/proc/net/tcp6"] {
        for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
          let fields = line.split(separator: " ")
          if fields.count > 3, fields[1].hasSuffix(":\(name)"), fields[3] == "0A" {
            listening.append(String(fields[1]))
          }
        }
      }
      #expect(listening.sorted() == ["00000000000000000000000001000000:\(name)", "0100007F:\(name)"])
    #endif
  }

  @Test(arguments: ["127.0.0.1", "::1"])
  func `A taken port is named, with what to do`(address: String) throws {
    let machine = try Machine()
    try machine.makeVault()
    let port = machine.directory.path("port")
    let script = """
      import socket, sys, time, os
      server = socket.create_server((sys.argv[1], 0), family=socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET)
      open(sys.argv[2] + ".new", "w").write(str(server.getsockname()[1]))
      os.rename(sys.argv[2] + ".new", sys.argv[2])
      time.sleep(600)
      """
    let other = try machine.start("/usr/bin/env", ["python3", "-c", script, address, port])
    defer { other.kill() }
    let number = try waitForFile(port)
    let outcome = try machine.run("coffer", "inspect", "--no-open", "--port", number)
    #expect(outcome.exitCode == 1 && outcome.output.isEmpty)
    #expect(
      outcome.errors.hasPrefix("coffer: another program uses port \(number); choose another --port"), "\(outcome)")
  }

  @Test func `The chosen port is used`() throws {
    let machine = try Machine()
    try machine.makeVault()
    let first = try RunningInspector(on: machine)
    let port = first.port
    _ = try first.enter()
    #expect(try first.end().exitCode == 0)
    // At once again, although connections of before have just ended.
    let second = try RunningInspector(on: machine, "--port", "\(port)")
    #expect(second.port == port)
    #expect(second.token != first.token)
  }

  @Test func `The log names pages, and nothing that an address or a form contains`() throws {
    let machine = try Machine()
    try machine.makeVault()
    let inspector = try RunningInspector(on: machine, "--verbose")
    let session = try inspector.enter()
    for path in ["/nothing-needle?q=needle", "/groups/needle?q=needle", "/apps/needle", "/assets/needle"] {
      _ = try inspector.send("GET", path, ["X-Secret": "needle"], as: session)
    }
    _ = try inspector.send("POST", "/items", form: "csrf=\(session.csrf)&value=needle", as: session)
    let token = String(repeating: "ab", count: 16)
    _ = try inspector.send("POST", "/undo/\(token)", form: "csrf=\(session.csrf)", as: session)
    let outcome = try inspector.end()
    for line in [
      "POST /session 303", "GET / 200", "GET NotFound 404", "GET /groups/{group} 403", "GET /apps/{app} 404",
      "GET /assets/{file} 404", "POST NotFound 404", "POST /undo/{token} 404",
    ] {
      #expect(outcome.errors.contains(line), "\(line) in \(outcome)")
    }
    for secret in ["needle", token, inspector.token, session.csrf, session.cookie] {
      #expect(!outcome.errors.contains(secret))
    }
    #expect(outcome.text == "\(inspector.origin)/#\(inspector.token)")
  }

  @Test func `Without --verbose nothing is logged`() throws {
    let inspector = try RunningInspector()
    _ = try inspector.enter()
    let outcome = try inspector.end()
    let expected = """
      Open this address in a browser on this machine. It works once.
      Ends after 10 minutes without use. To end: Ctrl-C

      """
    #expect(outcome.errors == expected)
  }

  @Test func `A mistake ends it before anything starts`() throws {
    let machine = try Machine()
    let file = try machine.directory.write("wrong", "wrong passphrase")
    let absent = try machine.run("coffer", "inspect", "--no-open")
    #expect(absent.exitCode == 1 && absent.errors.hasPrefix("coffer: there is no vault at"), "\(absent)")
    for arguments in [
      ["--idle", "0s"], ["--idle", "5"], ["--idle", "25h"], ["--idle", "-1"], ["--idle", "m"],
      ["--idle", "99999999999999999999h"],
      ["--port", "65536"], ["--port", "x"], ["--ask-in-page", "--passphrase-file", file], ["extra"],
    ] {
      let outcome = try machine.start("coffer", ["inspect"] + arguments).wait()
      #expect(outcome.exitCode == 2 && outcome.errors.hasPrefix("coffer: "), "\(arguments): \(outcome)")
      // Another hyphen is read as an option.
      guard arguments.count == 2, !arguments[1].hasPrefix("-") else { continue }
      let range = ["--idle": "from 1 second to 24 hours", "--port": "from 1 to 65535"][arguments[0]]
      #expect(range.map { outcome.errors.contains($0) } ?? true, "\(arguments): \(outcome)")
    }
    try machine.coffer(
      "init", "--vault-key-file", machine.directory.path("key"), "--passphrase-file",
      try machine.directory.write("right", "right passphrase"))
    let wrong = try machine.run("coffer", "inspect", "--no-open", "--passphrase-file", file)
    #expect(wrong.exitCode == 5 && wrong.errors.hasPrefix("coffer: wrong passphrase for"), "\(wrong)")
    let app = try machine.run("coffer", "inspect", "--no-open", "--app", "com.example.none")
    #expect(app.exitCode == 4 && app.errors.contains("no app com.example.none is registered in this vault"), "\(app)")
  }

  @Test func `The passphrase is asked for on the terminal, before the address is shown`() throws {
    let machine = try Machine()
    try machine.coffer(
      "init", "--name", "laptop", "--vault-key-file", machine.directory.path("key"), "--passphrase-file",
      try machine.directory.write("right", "right passphrase"))
    let terminal = try PseudoTerminal(machine, "inspect", "--no-open")
    try terminal.await("Passphrase of laptop: ")
    #expect(!terminal.screen.contains("http"))
    terminal.type("right passphrase\n")
    try terminal.await("http://127.0.0.1:")
    try terminal.await("Locks after 10 minutes without use. To end: Ctrl-C")
    terminal.type("\u{3}")
    #expect(terminal.wait() == 0)
    #expect(!terminal.screen.contains("right passphrase"))
  }

  @Test func `coffer says where it has looked for a missing coffer-inspect`() throws {
    let machine = try Machine()
    try Command.run("cp", Machine.path(of: "coffer"), machine.directory.path("coffer"))
    let outcome = try machine.run(machine.directory.path("coffer"), "inspect")
    #expect(outcome.exitCode == 1, "\(outcome)")
    #expect(outcome.errors.contains("the program coffer-inspect is missing; searched: \(machine.directory.path)"))
    #expect(outcome.errors.contains("libexec/coffer/coffer-inspect"))
  }

  @Test func `Whoever deletes an internet password is told what undoes it, with the package if that is missing`() throws
  {
    let machine = try Machine()
    try machine.makeVault()
    let alone = machine.directory.path("coffer")
    try Command.run("cp", Machine.path(of: "coffer"), alone)
    for (program, said) in [
      (Machine.path(of: "coffer"), "To undo, use: coffer inspect\r\n"),
      (alone, "To undo, use: coffer inspect (its package coffer-inspect is not installed)\r\n"),
    ] {
      let names = ["--class", "internet-password", "https://example.com", "jane"]
      try machine.succeed("coffer", ["set"] + names, input: "s3cret")
      let terminal = try PseudoTerminal(machine, program: program, ["delete"] + names)
      #expect(terminal.wait() == 0 && terminal.screen.hasSuffix(said), "\(terminal.screen)")
    }
  }

  @Test func `On a disk without any space the pages show the items, and a change says why it fails`() throws {
    let machine = try Machine()
    try machine.makeVault()
    try machine.coffer("app", "add", Machine.entitlements(of: "PhotoPro"))
    let item = ["s", "kept", "--app", "com.example.photo.pro"]
    try machine.succeed("coffer", ["set"] + item, input: "value")
    let disk = try SmallDisk(replacing: machine.home.path, megabytes: 4)
    machine.wrapper = disk.wrapper
    try disk.fill()
    let inspector = try RunningInspector(on: machine)
    let session = try inspector.enter()
    for page in ["/", "/items", "/apps", "/log"] {
      #expect(try inspector.send("GET", page, as: session).status == 200, "\(page)")
    }
    #expect(try inspector.send("GET", "/items", as: session).text.contains("kept"))
  }

  @Test func `Help names every option, and nothing starts`() throws {
    let machine = try Machine()
    let help = try machine.coffer("inspect", "--help")
    for option in ["--port", "--no-open", "--app", "--idle", "--ask-in-page", "--passphrase-file", "--verbose"] {
      #expect(help.contains(option), "\(option)")
    }
  }
}
