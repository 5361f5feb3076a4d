internal import CofferTrust

/// How the team of a vault appears in the names of groups and apps that programs see.
struct TeamNaming: Sendable {
  /// Whether the vault is in memory: a literal prefix of any team then means the vault's, because its own is random.
  let isInMemory: Bool
  /// The team that programs see instead of the vault's own, in memory only.
  private let shownTeam: String?

  /// The naming of a vault: its own team, unless it is in memory and has another.
  init(_ memory: MemoryVault?) {
    isInMemory = memory != nil
    shownTeam = memory?.shownTeam
  }

  /// Returns the prefix of names, with its dot.
  func prefix(of team: TeamID) -> String { shownTeam.map { $0 + "." } ?? team.prefix }

  /// Returns a full name as programs see it.
  func shown(_ name: String, of team: TeamID) -> String {
    guard let shownTeam, name.hasPrefix(team.prefix) else { return name }
    return shownTeam + "." + name.dropFirst(team.prefix.count)
  }
}
