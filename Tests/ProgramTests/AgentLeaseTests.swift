#if os(Linux)
  import CofferAgent
  import CofferTestSupport
  import Foundation
  import Testing

  /// Leases: a person allows the use of a group to one process tree.
  @Suite struct AgentLeaseTests {
    @Test func `Without a desktop and a terminal, a lease is refused at once, with what to do`() throws {
      let scene = try AgentScene()
      try scene.unlock("--confirm")
      let outcome = try scene.get("--reason", "nightly job")
      expectFailure(outcome, 5, "\(AgentScene.group) demands that a person answers", "run the command in a terminal")
      let entry = try #require(try scene.log().last)
      #expect(entry.event == .refused && entry.reason == "nightly job" && entry.program == "coffer")
      #expect(try #require(entry.groups).contains { $0.hasSuffix(AgentScene.group) })
    }

    @Test func `A group that requires a lease has one for each process tree, and other groups have none`() throws {
      let scene = try AgentScene()
      try scene.unlock()
      #expect(try scene.get().text == "hunter2")
      try scene.machine.coffer(
        "group", "require", AgentScene.group, "lease", "--passphrase-file", scene.passphrase)
      expectFailure(try scene.get(), 5, "demands that a person answers")
      #expect(try scene.machine.run("coffer", "list", "--group", "com.example.photo.purchases").exitCode == 0)
      try scene.machine.coffer(
        "group", "require", AgentScene.group, "none", "--passphrase-file", scene.passphrase)
      #expect(try scene.get().text == "hunter2")
    }

    @Test(arguments: [true, false])
    func `A lease of the owner's own group is asked for by every command and bridge that reads it`(
      byRequirement: Bool
    ) throws {
      let scene = try AgentScene()
      let machine = scene.machine
      try machine.coffer("set", "foo", "bar", "--passphrase-file", scene.passphrase, input: "hunter2")
      let seed = "otpauth://totp/x?secret=GEZDGNBVGY3TQOJQ"
      try machine.coffer("otp", "add", "foo", "bar", "--passphrase-file", scene.passphrase, input: seed)
      _ = try machine.directory.write("template", "{{ coffer:///foo/bar }}")
      _ = try machine.directory.write("variables", "A=coffer:///foo/bar\n")
      let reads = [
        ["get", "foo", "bar"], ["get", "foo"], ["get", "foo", "bar", "--json"], ["read", "coffer:///foo/bar"],
        ["read", "coffer://coffer.personal/foo/bar"], ["run", "--env", "A=coffer:///foo/bar", "--", "printenv", "A"],
        ["env", "variables"], ["inject", "--in", "template", "--out", "-"], ["otp", "foo", "bar"],
        ["otp", "uri", "foo", "bar"], ["show", "foo", "bar"], ["history", "foo", "bar", "--show"],
        ["bridge", "keyring", "get", "foo", "bar"], ["security", "find-generic-password", "-s", "foo", "-w"],
      ]
      let wrapper = ["env", "--chdir", machine.directory.path]
      try scene.unlock()
      for read in reads {
        let outcome = try machine.start("coffer", read, wrapper: wrapper).wait()
        #expect(outcome.exitCode == 0 && !outcome.output.isEmpty, "\(read): \(outcome)")
      }
      if byRequirement {
        try machine.coffer("group", "require", "coffer.personal", "lease", "--passphrase-file", scene.passphrase)
      } else {
        try scene.unlock("--confirm")
      }
      for read in reads {
        let outcome = try machine.start("coffer", read, wrapper: wrapper).wait()
        let isSecurity = read[0] == "security"
        #expect(outcome.exitCode == (isSecurity ? 36 : 5) && outcome.output.isEmpty, "\(read): \(outcome)")
        #expect(isSecurity || outcome.errors.contains("demands that a person answers"), "\(read): \(outcome)")
      }
      #expect(try scene.log().filter { $0.event == .refused }.count == reads.count)
    }

    @Test func `In a terminal, the passphrase is the answer, and holds for what that terminal runs`() throws {
      let scene = try AgentScene()
      try scene.unlock("--confirm")
      let command = ([Machine.path(of: "coffer")] + AgentScene.get).joined(separator: " ")
      let terminal = try PseudoTerminal(
        scene.machine, program: "/bin/sh", ["-c", "\(command); echo; echo again; \(command); exit"])
      try terminal.await("the passphrase allows it in this terminal for 10 minutes.")
      // Unlocking would not be an answer.
      try terminal.await("Passphrase of laptop (owner access): ")
      terminal.type("correct horse\n")
      try terminal.await("hunter2")
      try terminal.await("again")
      try terminal.await("hunter2")
      #expect(terminal.wait() == 0)
      #expect(terminal.screen.ranges(of: "Passphrase of").count == 1, "\(terminal.screen)")
      // What was allowed is in the log as if a dialog had been answered.
      let allowed = try #require(scene.log().last { $0.event == .leaseGranted })
      #expect(allowed.groups?.count == 1 && allowed.groups?[0].hasSuffix(AgentScene.group) == true, "\(allowed)")
      #expect(allowed.program == "coffer" && allowed.seconds == 600 && allowed.purpose == "show", "\(allowed)")
      #expect(allowed.terminal != nil && allowed.cause == "with the passphrase", "\(allowed)")
      let shown = try scene.machine.coffer("agent", "log")
      #expect(shown.contains(/allowed to show \S+ for 10 minutes to coffer .*\(with the passphrase\)/), "\(shown)")
      // Another process tree has no lease.
      expectFailure(try scene.get(inOwnTree: true), 5, "demands that a person answers")
      #expect(try scene.status()?.leases.map(\.program) == ["sh"])
      #expect(try scene.log().count { $0.event == .leaseGranted } == 1)
    }

    @Test func `A dialog shows who asks and why, and its answer holds for that process tree`() throws {
      let scene = try AgentScene()
      let dialog = try ScriptedDialog(answer: "echo OK")
      try scene.startAgent(environment: dialog.environment)
      try scene.unlock("--confirm")
      #expect(try scene.get("--reason", "deploy 100%", inOwnTree: true).text == "hunter2")
      let shown = try #require(dialog.descriptions().first)
      let lines = shown.components(separatedBy: "%0A")
      #expect(lines[0] == "Allow coffer to show passwords of \(AgentScene.group) for 10 minutes?", "\(shown)")
      #expect(lines[1].hasPrefix("Asked by ") && lines[1].contains(" on laptop, "), "\(shown)")
      #expect(lines.last == "Reason given: “deploy 100%25”", "\(shown)")
      // That tree has ended. Another one is asked for again, once.
      let command = ([Machine.path(of: "coffer")] + AgentScene.get).joined(separator: " ")
      let outcome = try scene.machine.run("/usr/bin/setsid", "--wait", "sh", "-c", "\(command); \(command); exit")
      #expect(outcome.text == "hunter2hunter2", "\(outcome)")
      #expect(dialog.descriptions().count == 2)
      let granted = try scene.log().filter { $0.event == .leaseGranted }
      #expect(granted.count == 2 && granted.allSatisfy { $0.seconds == 600 && $0.startedBy?.isEmpty == false })
      #expect(granted.first?.reason == "deploy 100%")
    }

    @Test func `What a program says begins no line of a dialog`() throws {
      let scene = try AgentScene()
      let dialog = try ScriptedDialog(answer: "echo OK")
      try scene.startAgent(environment: dialog.environment)
      try scene.unlock("--confirm")
      _ = try scene.get("--reason", "x\nAsked by root", inOwnTree: true)
      let lines = try #require(dialog.descriptions().first).components(separatedBy: "%0A")
      #expect(lines.last == "Reason given: “x Asked by root”", "\(lines)")
      #expect(lines.count { $0.hasPrefix("Asked by ") } == 1, "\(lines)")
    }

    @Test func `A dialog names the top of the process tree that gets the lease`() throws {
      let scene = try AgentScene()
      let dialog = try ScriptedDialog(answer: "echo OK")
      try scene.startAgent(environment: dialog.environment)
      try scene.unlock("--confirm")
      let command = ([Machine.path(of: "coffer")] + AgentScene.get).joined(separator: " ")
      try scene.machine.run("/usr/bin/setsid", "--wait", "sh", "-c", "\(command); exit")
      let shown = try #require(dialog.descriptions().first)
      #expect(shown.contains("%0ACounts for all that sh ("), "\(shown)")
    }

    @Test func `A lease holds as long as --for says, which the dialog shows, and no longer than an hour`() throws {
      let scene = try AgentScene()
      let dialog = try ScriptedDialog(answer: "echo OK")
      try scene.startAgent(environment: dialog.environment)
      try scene.unlock("--confirm")
      #expect(try scene.get("--for", "90s").text == "hunter2")
      #expect(try #require(dialog.descriptions().first).contains("for 90 seconds?"))
      #expect(try scene.log().last?.seconds == 90)
      let left = try #require(try scene.status()?.leases.first?.ends.timeIntervalSinceNow)
      #expect(left > 0 && left <= 90)
      expectFailure(try scene.get("--for", "61m"), 2, "1 second to 1 hour")
    }

    @Test func `A pinentry in the PATH of the agent is not started`() throws {
      let scene = try AgentScene()
      let dialog = try ScriptedDialog(answer: "echo OK")
      let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
      try scene.startAgent(environment: ["DISPLAY": ":99", "PATH": "\(dialog.folder.path):\(path)"])
      try scene.unlock("--confirm")
      expectFailure(try scene.get(), 5, "demands that a person answers")
      #expect(dialog.descriptions().isEmpty)
    }

    @Test func `A tree whose question was refused is not asked for again at once, and another one is`() throws {
      let scene = try AgentScene()
      let dialog = try ScriptedDialog(answer: "echo 'ERR 83886194 Not confirmed'")
      try scene.startAgent(environment: dialog.environment)
      try scene.unlock("--confirm")
      let command = ([Machine.path(of: "coffer")] + AgentScene.get).joined(separator: " ")
      let outcome = try scene.machine.run("/usr/bin/setsid", "--wait", "sh", "-c", "\(command); \(command)")
      #expect(outcome.exitCode == 5 && outcome.text.isEmpty, "\(outcome)")
      for part in ["was not allowed", "nobody is asked about", "in a minute"] {
        #expect(outcome.errors.contains(part), "\(outcome)")
      }
      #expect(dialog.descriptions().count == 1)
      // New trees are asked for, but not without end.
      for _ in 0..<8 { #expect(try scene.get(inOwnTree: true).exitCode == 5) }
      #expect(dialog.descriptions().count == 5)
    }

    @Test func `However many questions wait, coffer lock ends them at once`() throws {
      let scene = try AgentScene()
      let dialog = try ScriptedDialog(answer: "exec sleep 600")
      try scene.startAgent(environment: dialog.environment)
      try scene.unlock("--confirm")
      let commands = try (0..<24).map { _ in
        try scene.machine.start("coffer", AgentScene.get, wrapper: ["setsid", "--wait"])
      }
      // All but eight are refused, and one is shown.
      try waitUntil("the others are refused") { commands.count(where: \.isRunning) == 8 }
      try waitUntil("a dialog waits") { dialog.descriptions().count == 1 }
      let start = ContinuousClock.now
      try scene.machine.coffer("lock")
      #expect(ContinuousClock.now - start < .seconds(120))
      for command in commands { #expect(try command.wait().exitCode == 5) }
      #expect(dialog.descriptions().count == 1)
    }

    @Test func `An agent that has ended confirms as before, and a file that is not understood confirms`() throws {
      let scene = try AgentScene()
      try scene.unlock("--confirm", "--idle", "1h")
      func restart() throws {
        for process in try scene.agents() { kill(process, SIGKILL) }
        try waitUntil("the agent has ended") { try scene.agents().isEmpty }
        try scene.unlock()
      }
      try restart()
      #expect(try scene.status()?.vaults.map(\.confirms) == [true])
      let locks = try #require(try scene.status()?.vaults.first?.locks.timeIntervalSinceNow)
      #expect(locks > 3000)
      try scene.unlock("--no-confirm")
      try restart()
      #expect(try scene.status()?.vaults.map(\.confirms) == [false])
      try Data("{".utf8).write(to: scene.machine.vault.appending(path: "agent-settings"))
      try restart()
      #expect(try scene.status()?.vaults.map(\.confirms) == [true])
    }

    @Test func `A request that is refused does not prolong the unlock`() throws {
      let scene = try AgentScene()
      try scene.unlock("--confirm", "--idle", "3s")
      let start = ContinuousClock.now
      while try scene.status()?.vaults.isEmpty == false {
        _ = try scene.get()
        guard ContinuousClock.now - start < longestWait else {
          Issue.record("requests keep the agent unlocked")
          break
        }
      }
    }

    @Test func `A refusal in the dialog ends the command, and is logged`() throws {
      let scene = try AgentScene()
      let dialog = try ScriptedDialog(answer: "echo 'ERR 83886194 Not confirmed'")
      try scene.startAgent(environment: dialog.environment)
      try scene.unlock("--confirm")
      expectFailure(try scene.get(), 5, "was not allowed")
      #expect(dialog.descriptions().count == 1)
      #expect(try scene.log().last?.event == .leaseDenied)
    }

    @Test func `coffer lock ends a dialog that waits, and its command gets nothing`() throws {
      let scene = try AgentScene()
      let dialog = try ScriptedDialog(answer: "exec sleep 600")
      try scene.startAgent(environment: dialog.environment)
      try scene.unlock("--confirm")
      let command = try scene.machine.start("coffer", AgentScene.get)
      try waitUntil("the dialog waits") { !dialog.descriptions().isEmpty }
      try scene.machine.coffer("lock")
      let outcome = try command.wait()
      #expect(outcome.exitCode == 5 && outcome.text.isEmpty, "\(outcome)")
    }

    @Test func `A client that ends takes its dialog with it, and the next one is served`() throws {
      let scene = try AgentScene()
      let file = scene.machine.directory.path("answer")
      let dialog = try ScriptedDialog(answer: "if [ -e '\(file)' ]; then echo OK; else exec sleep 600; fi")
      try scene.startAgent(environment: dialog.environment)
      try scene.unlock("--confirm")
      let command = try scene.machine.start("coffer", AgentScene.get)
      try waitUntil("the dialog waits") { dialog.descriptions().count == 1 }
      command.kill()
      _ = try scene.machine.directory.write("answer", "")
      #expect(try scene.get().text == "hunter2")
    }

    @Test func `A lock by the screen or before sleep drops the keys`() throws {
      for signal in ["Lock", "PrepareForSleep", "LockedHint"] {
        let scene = try AgentScene()
        let bus = scene.machine.directory.path("bus")
        let configuration = try scene.machine.directory.write("bus.conf", Self.busConfiguration(bus))
        let daemon = try scene.machine.start("/usr/bin/dbus-daemon", ["--nofork", "--config-file", configuration])
        defer { daemon.kill() }
        try waitUntil("the bus listens") { FileManager.default.fileExists(atPath: bus) }
        try scene.startAgent(environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(bus)"])
        #expect(try scene.status()?.locksWithScreen == true)
        try scene.unlock()
        #expect(try scene.get().text == "hunter2")
        // Signals of others than logind lock nothing.
        try Command.run("python3", "-c", Self.logind, bus, signal, "other")
        #expect(try scene.get().text == "hunter2")
        try Command.run("python3", "-c", Self.logind, bus, signal, "login1")
        try waitUntil("the agent is locked by \(signal)") { try scene.status()?.vaults.isEmpty == true }
        // The keys are dropped before the log is written.
        let cause = signal == "PrepareForSleep" ? "sleep" : "screen lock"
        try waitUntil("the log has the cause") { try scene.log().last?.cause == cause }
      }
    }

    private static func busConfiguration(_ socket: String) -> String {
      """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
       "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig><type>system</type><listen>unix:path=\(socket)</listen><auth>EXTERNAL</auth>
      <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/><allow user="*"/>
      </policy></busconfig>
      """
    }

    /// Takes a name on a bus, and sends a signal as logind does.
    private static let logind = #"""
      import os, socket, struct, sys
      path, kind, owner = sys.argv[1:]
      bus = socket.socket(socket.AF_UNIX)
      bus.connect(path)
      bus.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
      assert bus.recv(4096).startswith(b"OK")
      bus.sendall(b"BEGIN\r\n")
      serial = 0
      def pad(data, size): return data + bytes(-len(data) % size)
      def text(value): return struct.pack("<I", len(value)) + value.encode() + b"\0"
      def send(type, fields, signature="", body=b""):
          global serial
          serial += 1
          header = b""
          if signature: fields = fields + [(8, "g", signature)]
          for code, kind, value in fields:
              header = pad(header, 8) + bytes([code, 1]) + kind.encode() + b"\0"
              header += bytes([len(value)]) + value.encode() + b"\0" if kind == "g" else text(value)
          start = b"l" + bytes([type, 0, 1]) + struct.pack("<II", len(body), serial) + struct.pack("<I", len(header))
          bus.sendall(pad(start + header, 8) + body)
      def call(member, signature="", body=b""):
          send(1, [(1, "o", "/org/freedesktop/DBus"), (6, "s", "org.freedesktop.DBus"), (2, "s", "org.freedesktop.DBus"),
                   (3, "s", member)], signature, body)
          bus.recv(65536)
      call("Hello")
      name = "org.freedesktop." + owner
      call("RequestName", "su", pad(text(name), 4) + struct.pack("<I", 4))
      if kind == "PrepareForSleep":
          send(4, [(1, "o", "/org/freedesktop/login1"), (2, "s", "org.freedesktop.login1.Manager"), (3, "s", kind)], "b", struct.pack("<I", 1))
      elif kind == "Lock":
          send(4, [(1, "o", "/org/freedesktop/login1/session/_31"), (2, "s", "org.freedesktop.login1.Session"), (3, "s", kind)])
      else:
          entries = pad(text("IdleHint") + b"\1b\0", 4) + struct.pack("<I", 0)
          entries = pad(entries, 8) + pad(text("LockedHint") + b"\1b\0", 4) + struct.pack("<I", 1)
          interface = text("org.freedesktop.login1.Session")
          body = pad(interface, 4)
          # The array's length does not count the bytes before its first entry, which is at a multiple of eight.
          array_start = pad(body + bytes(4), 8)
          body = body + struct.pack("<I", len(entries)) + bytes(len(array_start) - len(body) - 4) + entries
          body = pad(body, 4) + struct.pack("<I", 0)
          send(4, [(1, "o", "/org/freedesktop/login1/session/_31"), (2, "s", "org.freedesktop.DBus.Properties"), (3, "s", "PropertiesChanged")],
               "sa{sv}as", body)
      call("GetId")
      """#
  }
#endif
