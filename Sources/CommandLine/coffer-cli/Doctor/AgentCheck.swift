internal import CofferAgent
internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

/// The agent of this user, and what somebody could put in its place.
struct AgentCheck: DoctorCheck {
  static let name = "agent"

  func findings(in scene: DoctorScene) -> [Finding] {
    let folder = AgentFolder.standard
    guard !isAbsent(folder.path) else { return [] }
    guard folder.isPrivate else {
      return [
        Finding(
          .agentFolder, .problem, subject: folder.path,
          message: "The folder of the agent is not one that only this user can open, so no command uses the agent.",
          fix: "Find out who made it with `ls -ld \(folder.path)`, and remove it with: rm -r \(folder.path.shellWord)")
      ]
    }
    do throws(VaultError) {
      let status = try AgentClient.status()
      guard let process = status.process, !status.locksWithScreen,
        status.vaults.contains(where: { $0.vault == scene.local.folder.path })
      else { return [] }
      return [
        Finding(
          .agentIgnoresScreen, .advice, subject: "the agent (process \(process))",
          message: "Neither sleep nor the screen's lock locks it, because systemd's logind is not there.",
          fix: "Have the screen locker run: coffer lock")
      ]
    } catch {
      return [
        Finding(
          .agentSilent, .problem, subject: folder.socketPath, message: error.message.asSentence,
          fix: error.recoverySuggestion?.asSentence ?? "Run: coffer lock")
      ]
    }
  }
}
