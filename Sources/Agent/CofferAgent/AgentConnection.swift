internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

/// A client's connection to the agent of its user.
package struct AgentConnection: ~Copyable, Sendable {
  private let channel: AgentChannel
  /// The process of the agent, or of systemd, which started it.
  package let process: Int32

  private init(_ channel: consuming AgentChannel, process: Int32) {
    self.channel = channel
    self.process = process
  }

  /// How long the agent may take to answer, and how long a person may.
  private static let timeout = Duration.seconds(10)
  private static let answerTimeout = Duration.seconds(150)

  /// Connects to the agent. Nil if none runs, or if what listens there may be another user's.
  package static func open(in folder: AgentFolder = .standard) -> AgentConnection? {
    guard folder.isPrivate else { return nil }
    do throws(SystemError) {
      let socket = try LocalSocket.connect(to: folder.socketPath)
      let peer = try socket.peer()
      guard peer.user == geteuid() else { return nil }
      try socket.setTimeouts(receiving: timeout, sending: timeout)
      return AgentConnection(AgentChannel(socket), process: peer.process)
    } catch {
      return nil
    }
  }

  /// Sends a request and returns the answer. Nil if the agent has ended, does not answer in time, or answers what is no
  /// answer. Without `awaitsPerson`, an agent that asks a person is not waited for: the answer is `leaseRequired`, and
  /// the connection is of no use any more.
  package func ask(_ request: AgentRequest, awaitsPerson: Bool = true) -> AgentResponse? {
    do throws(SystemError) {
      try channel.send(request)
      while true {
        guard
          case .success(let response)? = try channel.receive(
            upTo: AgentResponse.byteCountLimit, AgentResponse.init(packet:))
        else { return nil }
        guard case .asking = response else { return response }
        guard awaitsPerson else { return .refused(.leaseRequired, message: "a group") }
        try channel.socket.setTimeouts(receiving: Self.answerTimeout, sending: Self.timeout)
      }
    } catch {
      return nil
    }
  }
}
