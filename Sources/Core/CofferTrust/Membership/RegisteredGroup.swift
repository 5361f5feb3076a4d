package import CofferCrypto
package import CofferFormat

/// An access group in the membership log.
package struct RegisteredGroup: Hashable, Sendable {
  /// One generation of the group's key.
  package struct Generation: Hashable, Sendable {
    package let number: UInt32
    package let commitment: Bytes32
    /// The generation that is sealed under this one; 0 in the first.
    package let wrappedGeneration: UInt32
    /// That generation, sealed; empty in the first.
    package let wrapped: [UInt8]
    /// The key, sealed to each recipient.
    package internal(set) var boxes: KeyBoxes
  }

  package let id: GroupID
  package let name: AccessGroupName
  /// The generations in ascending order from 1. The last one seals new items.
  package internal(set) var generations: [Generation]
  /// Keys of branches that root has rejected.
  package internal(set) var recovered: [RecoveredKey] = []
  /// What an app must have on a machine to get the group's keys there, by the last statement.
  package internal(set) var requirement = GroupRequirement.none
}
