internal import CofferPlatform
internal import CofferSystem
package import CofferVault

/// What commands ask of the agent, apart from keys.
package enum AgentClient {
  /// Makes the agent drop all keys. Returns how many it had, or nil if none runs. Throws `io` if it does not answer.
  package static func lock() throws(VaultError) -> Int? {
    guard let connection = AgentConnection.open() else { return nil }
    guard case .done(let count)? = connection.ask(.lock) else { throw silent(connection) }
    return Int(count)
  }

  /// Returns the state of the agent, also if none runs. Throws `io` if it does not answer.
  package static func status() throws(VaultError) -> AgentStatus {
    guard let connection = AgentConnection.open() else { return AgentStatus() }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    guard case .status(let json)? = connection.ask(.status),
      let status = try? decoder.decode(AgentStatus.self, from: Data(json))
    else { throw silent(connection) }
    return status
  }

  /// Gives the agent keys. Throws `io` if none runs, does not answer, or refuses.
  package static func keep(_ deposit: AgentDeposit) throws(VaultError) {
    guard let connection = AgentConnection.open() else {
      throw VaultError(.io, "no agent runs", recoverySuggestion: "start one with: coffer unlock")
    }
    switch connection.ask(.keep(deposit)) {
    case .done?: return
    case .refused(let reason, let message)?: throw RemoteKeys.error(reason, message)
    default: throw silent(connection)
    }
  }

  private static func silent(_ connection: borrowing AgentConnection) -> VaultError {
    let process = connection.process
    // If systemd listens for it, that is the process at the other end.
    let isAgent = ProcessLineage.member(process)?.name == "coffer-agent"
    return VaultError(
      .io, "the agent does not answer, and may keep its keys",
      recoverySuggestion: isAgent
        ? "end it with: kill -KILL \(process)" : "end it with: systemctl --user kill --signal=KILL coffer-agent")
  }
}
