internal import CofferAgent
internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

/// How the agent keeps the keys of a vault. A file in the vault's folder has it while no agent runs.
struct AgentSettings: Codable, Hashable, Sendable {
  /// After how long without use the keys are dropped: ten minutes by default.
  var idleSeconds: UInt32 = 600
  /// Whether every group demands a lease.
  var confirms = false

  private static let maximumByteCount = 4096

  /// Reads the settings of a vault, or the default ones. From a file that is not understood follows that every group demands
  /// a lease.
  static func read(of folder: VaultFolder) -> AgentSettings {
    guard !isAbsent(folder.agentSettingsPath) else { return AgentSettings() }
    let content = try? RegularFile.open(folder.agentSettingsPath, followsLinks: false).read(upTo: maximumByteCount)
    guard let content, let settings = try? JSONDecoder().decode(Self.self, from: Data(content)),
      (1...86_400).contains(settings.idleSeconds)
    else { return AgentSettings(confirms: true) }
    return settings
  }

  /// Returns the settings that a deposit asks for: without the right to weaken them, only a shorter time and more leases.
  func changed(by deposit: AgentDeposit, mayWeaken: Bool) -> AgentSettings {
    var settings = self
    if let seconds = deposit.idleSeconds, mayWeaken || seconds < idleSeconds { settings.idleSeconds = seconds }
    if let confirms = deposit.confirms, mayWeaken || confirms { settings.confirms = confirms }
    return settings
  }

  /// Writes the settings. A disk that is full, or cannot be written, keeps those from before.
  func write(to folder: VaultFolder) {
    guard let json = try? JSONEncoder().encode(self) else { return }
    try? json.write(to: URL(fileURLWithPath: folder.agentSettingsPath), options: .atomic)
  }
}
