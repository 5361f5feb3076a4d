package import CofferPlatform

/// The state of the agent, also of none. It has no secrets.
package struct AgentStatus: Codable, Hashable, Sendable {
  /// A vault of which the agent has keys.
  package struct UnlockedVault: Codable, Hashable, Sendable {
    package let vault: String
    /// How many authors' keys: the owner's and those of locked apps.
    package let keyCount: Int
    package let unlocked: Date
    /// When the keys are dropped unless they are used before.
    package let locks: Date
    /// Whether every group demands a lease.
    package let confirms: Bool

    package init(vault: String, keyCount: Int, unlocked: Date, locks: Date, confirms: Bool) {
      self.vault = vault
      self.keyCount = keyCount
      self.unlocked = unlocked
      self.locks = locks
      self.confirms = confirms
    }
  }

  /// An answer of a person that still holds.
  package struct Lease: Codable, Hashable, Sendable {
    package let vault: String
    package let group: String
    /// The process at the top of the tree, and its name.
    package let process: Int32
    package let program: String
    package let ends: Date

    package init(vault: String, group: String, process: Int32, program: String, ends: Date) {
      self.vault = vault
      self.group = group
      self.process = process
      self.program = program
      self.ends = ends
    }
  }

  /// The agent's process; nil if none runs.
  package let process: Int32?
  package let version: String?
  /// Whether sleep and the screen's lock lock the agent.
  package let locksWithScreen: Bool
  package let vaults: [UnlockedVault]
  package let leases: [Lease]

  package init(
    process: Int32? = nil, version: String? = nil, locksWithScreen: Bool = false, vaults: [UnlockedVault] = [],
    leases: [Lease] = []
  ) {
    self.process = process
    self.version = version
    self.locksWithScreen = locksWithScreen
    self.vaults = vaults
    self.leases = leases
  }
}
