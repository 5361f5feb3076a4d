#if os(Linux)
  import CofferTestSupport
  import Foundation
  import Testing

  /// Processes of another user on the same machine.
  @Suite(.enabled(if: geteuid() == 0, "only root can start a program as another user"))
  struct OtherUserTests {
    /// Sends a request as the user nobody, and returns the status.
    private func statusForNobody(_ request: String, to inspector: RunningInspector, isIPv6: Bool = false) throws -> Int
    {
      let output = try answerForNobody(request, to: inspector, isIPv6: isIPv6)
      return try #require(Int(output.prefix(12).split(separator: " ").last ?? ""))
    }

    /// Sends a request as the user nobody, and returns the whole answer.
    private func answerForNobody(
      _ request: String, to inspector: RunningInspector, isIPv6: Bool = false
    ) throws -> String {
      let script = #"exec 3<>"/dev/tcp/$1/$2"; printf %s "$3" >&3; cat <&3"#
      let closing = request.replacingOccurrences(of: "\r\n\r\n", with: "\r\nConnection: close\r\n\r\n")
      return try Command.run(
        "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "bash", "-c", script,
        "bash", isIPv6 ? "::1" : "127.0.0.1", "\(inspector.port)", closing)
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
