#if os(Linux)
  import CofferAgent
  import CofferCrypto
  import CofferFormat
  import CofferSystem
  import CofferTestSupport
  import Foundation
  import Synchronization
  import Testing

  /// Where keys are while they cross the socket of the agent: a core or a debugger may look at any moment.
  @Suite(.enabled(if: geteuid() == 0, "only root can read the memory of this process from another one"))
  struct AgentPacketTests {
    /// Both ends of a connection.
    private final class Ends: Sendable {
      let client: AgentChannel
      let agent: AgentChannel
      let hasSent = Atomic(false)

      init() throws {
        let directory = try TemporaryDirectory()
        let listener = try LocalSocket.listen(at: directory.path("agent"))
        client = AgentChannel(try LocalSocket.connect(to: directory.path("agent")))
        agent = AgentChannel(try listener.accept())
      }
    }

    /// Counts a half of a secret in this process: a register holds not more of it.
    private func counts(of secret: SecretBytes) throws -> (guarded: Int, ordinary: Int) {
      let digits = unsafe secret.withBytes { bytes in
        unsafe bytes.suffix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      }
      return try ProcessMemory(of: getpid()).counts(ofHexadecimal: digits)
    }

    private func deposit(_ secret: SecretBytes) -> AgentRequest {
      .keep(AgentDeposit(folder: "/v", author: AuthorID(.zero), secret: secret))
    }

    @Test func `The keys of a deposit are in guarded memory only when the packet has arrived, and when it was read`()
      throws
    {
      let ends = try Ends()
      let secret = SecretBytes.random(count: 64)
      try ends.client.send(deposit(secret))
      var arrived: (guarded: Int, ordinary: Int)?
      let request = try ends.agent.receive(upTo: AgentRequest.byteCountLimit) { (packet) throws(FormatError) in
        arrived = try? counts(of: secret)
        return try AgentRequest(packet: packet)
      }
      // The secret of this test, and the packet.
      #expect(try #require(arrived) == (2, 0))
      guard case .success(.keep(let deposit))? = request else { throw CocoaError(.coderInvalidValue) }
      #expect(try counts(of: deposit.secret) == (2, 0))
      let isSame = unsafe secret.withBytes { left in
        unsafe deposit.secret.withBytes { unsafe left.elementsEqual($0) }
      }
      #expect(isSame)
    }

    @Test(arguments: [true, false])
    func `Keys that wait to be sent are in guarded memory only, and nowhere afterwards`(areDeposited: Bool) throws {
      let ends = try Ends()
      try ends.client.socket.setTimeouts(receiving: .seconds(600), sending: .milliseconds(1))
      // Until the queue is full.
      while (try? ends.client.send(.lock)) != nil {}
      try ends.client.socket.setTimeouts(receiving: .seconds(600), sending: .seconds(600))
      let secret = SecretBytes.random(count: 64)
      Thread.detachNewThread { [self] in
        if areDeposited {
          try? ends.client.send(deposit(secret))
        } else {
          try? ends.client.send(.secrets([1: secret], verificationKey: secret.slice(0..<32)))
        }
        ends.hasSent.store(true, ordering: .releasing)
      }
      // The secret of this test is the first.
      var waiting = (guarded: 1, ordinary: 0)
      try waitUntil("the packet waits") {
        waiting = try counts(of: secret)
        return waiting.guarded + waiting.ordinary > 1
      }
      #expect(waiting == (2, 0))
      let isEarly = ends.hasSent.load(ordering: .acquiring)
      #expect(!isEarly)
      var byteCount = 0
      while byteCount < 64 {
        let packet = try ends.agent.receive(upTo: AgentResponse.byteCountLimit) { (packet) throws(FormatError) in
          packet.count
        }
        byteCount = try #require(try packet?.get())
      }
      try waitUntil("the packet is sent") { ends.hasSent.load(ordering: .acquiring) }
      #expect(try counts(of: secret) == (1, 0))
    }
  }
#endif
