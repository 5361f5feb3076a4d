internal import Coffer
internal import CofferAgent
internal import CofferCrypto
internal import CofferSystem
internal import CofferVault

/// The program `coffer-agent`.
enum AgentProgram {
  static let name = "coffer-agent"

  /// Starts the agent unless it runs, or systemd starts it. Returns when commands can connect.
  static func start() throws(VaultError) {
    guard !isListening else { return }
    let path = try SiblingProgram.locate(name)
    do throws(SystemError) {
      let child = try ChildProcess.start(path, arguments: ["--background"], input: .null, output: .null)
      guard child.wait() != .code(0) else { return }
    } catch {
      throw SiblingProgram.startFailure(path, error)
    }
    throw VaultError(
      .io, "the agent could not be started",
      recoverySuggestion: "see why with `\(path.shellWord)`, and give --passphrase-file meanwhile")
  }

  /// Gives an agent that has keys of a vault those that were sealed under the passphrase since: without them, the next command
  /// would ask for it although the vault is unlocked. The source has asked for the passphrase before.
  static func keepNewKeys(of local: LocalVault, _ source: PassphraseSource) {
    guard local.ownerKeyProtection == .passphrase, let status = try? AgentClient.status(),
      status.vaults.contains(where: { $0.vault == local.folder.path }),
      let opened = try? PassphraseKeys.open(in: local, passphrase: source)
    else { return }
    for (author, keys) in opened {
      try? AgentClient.keep(AgentDeposit(folder: local.folder.path, author: author, secret: keys.secret))
    }
  }

  /// Whether the agent listens, or systemd for it. Another program that does is no agent: one that starts takes its place, unless
  /// that program also holds the agent's lock.
  private static var isListening: Bool {
    guard let connection = AgentConnection.open() else { return false }
    return ["coffer-agent", "systemd"].contains(ProcessLineage.member(connection.process)?.name)
  }
}
