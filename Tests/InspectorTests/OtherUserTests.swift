#if os(Linux)
  import CofferSystem
  import CofferTestSupport
  import Foundation
  import Testing

  /// Processes of another user on the same machine.
  @Suite(.enabled(if: geteuid() == 0, "only root can start a program as another user"))
  struct OtherUserTests {
    /// Sends a request as the user nobody, and returns the status, or nil if the server closes the connection.
    private func statusForNobody(_ request: String, to inspector: RunningInspector, isIPv6: Bool = false) throws -> Int?
    {
      let output = try answerForNobody(request, to: inspector, isIPv6: isIPv6)
      return Int(output.prefix(12).split(separator: " ").last ?? "")
    }

    /// Sends a request as the user nobody, and returns the whole answer.
    private func answerForNobody(
      _ request: String, to inspector: RunningInspector, isIPv6: Bool = false
    ) throws -> String {
      // The server answers before it has read the body, so that the connection can end with an error after the answer.
      let script = #"exec 3<>"/dev/tcp/$1/$2"; printf %s "$3" >&3; cat <&3 || :"#
      let closing = request.replacingOccurrences(of: "\r\n\r\n", with: "\r\nConnection: close\r\n\r\n")
      return try Command.run(
        "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "bash", "-c", script,
        "bash", isIPv6 ? "::1" : "127.0.0.1", "\(inspector.port)", closing)
    }

    /// Calls `body` with a function that opens 300 connections as the user nobody, who sends nothing on them and keeps
    /// those that the server leaves open.
    private func withConnectionsOfNobody(
      to inspector: RunningInspector, isIPv6: Bool, _ body: (() throws -> Void) throws -> Void
    ) throws {
      let script = """
        import socket, sys
        kept = []
        for line in sys.stdin:
            for _ in range(300):
                one = socket.socket(socket.AF_INET6 if sys.argv[2] == '::1' else socket.AF_INET)
                one.connect((sys.argv[2], int(sys.argv[1])))
                kept.append(one)
            print('+', end='', flush=True)
        """
      let directory = try TemporaryDirectory()
      let path = try directory.write("output", "")
      let output = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
      let input = try Descriptor.socketPair()
      let attacker = try SpawnedProgram(
        [
          "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/python3", "-c", script,
          "\(inspector.port)", isIPv6 ? "::1" : "127.0.0.1",
        ],
        inputDescriptor: input.theirs.rawValue, output: output.fileDescriptor)
      defer { attacker.end() }
      var expected = ""
      try body {
        expected += "+"
        unsafe Array("\n".utf8).withUnsafeBytes { unsafe input.ours.sendAll($0) }
        try waitUntil("nobody has its connections") { try String(contentsOfFile: path, encoding: .utf8) == expected }
      }
    }

    @Test(arguments: [false, true])
    func `However many connections another user opens, the first request of the owner is answered`(isIPv6: Bool) throws
    {
      let inspector = try RunningInspector()
      let folder = "/proc/\(inspector.program.processIdentifier)/fd"
      let before = try FileManager.default.contentsOfDirectory(atPath: folder).count
      try withConnectionsOfNobody(to: inspector, isIPv6: isIPv6) { open in
        try open()
        // The owner's browser connects, and its request comes after more connections than the server has at a time.
        let browser = try RawConnection(port: inspector.port, isIPv6: isIPv6)
        try open()
        try browser.send(inspector.request("POST", "/session", form: "token=\(inspector.token)"))
        #expect(try browser.response().status == 303)
        #expect(try inspector.send("GET", "/").status == 200)
        // Beyond a few, those of the other user are closed.
        try waitUntil("the server has closed them") {
          try FileManager.default.contentsOfDirectory(atPath: folder).count < before + 90
        }
      }
      // And the other user gets answers again.
      try waitUntil("the connections have ended") {
        try statusForNobody(inspector.request("GET", "/"), to: inspector) == 200
      }
    }

    @Test func `Of 17 connections of another user, one is closed at once, and the others stay`() throws {
      let inspector = try RunningInspector()
      let script = """
        import select, socket, sys, time
        start = time.monotonic()
        poll = select.poll()
        kept = [socket.create_connection(('127.0.0.1', int(sys.argv[1]))) for _ in range(17)]
        for one in kept:
            poll.register(one, select.POLLIN | select.POLLRDHUP)
        closed = poll.poll(60_000)
        # What sends no request ends after 10 seconds, whoever has opened it.
        print(len(closed), 'at once' if time.monotonic() - start < 10 else 'late')
        """
      let output = try Command.run(
        "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "python3", "-c", script, "\(inspector.port)")
      #expect(output.trimmingCharacters(in: .newlines) == "1 at once")
    }

    @Test func `Another user gets 403 with the token, and cannot use it up`() throws {
      let inspector = try RunningInspector()
      let exchange = inspector.request("POST", "/session", form: "token=\(inspector.token)")
      let guess = inspector.request("POST", "/session", form: "token=guess")
      for request in [exchange] + Array(repeating: guess, count: 12) + [exchange] {
        #expect(try statusForNobody(request, to: inspector) == 403)
      }
      #expect(try inspector.exchange(inspector.token).status == 303)
    }

    @Test func `A guess is compared before the user at the other end is looked up`() throws {
      let inspector = try RunningInspector()
      let guess = inspector.request("POST", "/session", form: "token=guess")
      #expect(try answerForNobody(guess, to: inspector).contains("This address was used already or is wrong"))
      let token = inspector.request("POST", "/session", form: "token=\(inspector.token)")
      #expect(try answerForNobody(token, to: inspector).contains("This is not allowed"))
    }

    @Test func `Another user gets 403 with the cookie of a session`() throws {
      let inspector = try RunningInspector()
      let session = try inspector.enter()
      for path in ["/items", "/session"] {
        let request = inspector.request("GET", path, as: session)
        #expect(try statusForNobody(request, to: inspector) == 403)
        #expect(try statusForNobody(request, to: inspector, isIPv6: true) == 403)
      }
      let lock = inspector.request("POST", "/lock", form: "csrf=\(session.csrf)", as: session)
      #expect(try statusForNobody(lock, to: inspector) == 403)
      #expect(try inspector.send("GET", "/", as: session).status == 200)
    }
  }
#endif
