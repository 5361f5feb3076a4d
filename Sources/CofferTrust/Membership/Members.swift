package import CofferFormat
package import CofferCrypto

/// An enrolled machine, as the log has it.
package struct Device: Hashable, Sendable {
  package let id: DeviceID
  package let keys: PartyPublicKeys
  /// The admin that acts on this machine; nil where it may not change membership.
  package let admin: AuthorID?
  package let name: String
  /// When it was enrolled, by the enrolling machine's clock.
  package let enrolled: Timestamp
}

/// A registered app, as the log has it.
package struct App: Hashable, Sendable {
  /// The log entry that registered it.
  package let registration: EntryHash
  package let statement: AppStatement
  package let entitlements: Entitlements
  /// When it was registered.
  package let registered: Timestamp
  /// How many registrations of this application identifier came before.
  package let revision: Int

  /// The full application identifier.
  package var id: ApplicationID { entitlements.applicationID }
}

/// Somebody who may write records.
package struct Author: Hashable, Sendable {
  /// Who stands behind the keys.
  package enum Role: Hashable, Sendable {
    /// A machine's owner: reads and writes every group.
    case admin(DeviceID)
    /// An app on a machine: reads and writes what its registration says.
    case principal(ApplicationID, registration: EntryHash, DeviceID)
  }

  package let id: AuthorID
  package let keys: PartyPublicKeys
  package let role: Role

  /// The machine on which this author acts.
  package var device: DeviceID {
    switch role {
    case .admin(let device), .principal(_, _, let device): device
    }
  }
}

/// An access group, as the log has it.
package struct AccessGroup: Hashable, Sendable {
  /// One generation of the group's key.
  package struct Generation: Hashable, Sendable {
    package let number: UInt32
    package let commitment: Bytes32
    package let wrappedPrevious: [UInt8]
    /// The keys, sealed to each recipient.
    package internal(set) var boxes: [AuthorID: [UInt8]]
  }

  package let id: GroupID
  package let name: AccessGroupName
  /// In ascending order, from 1; the last one seals.
  package internal(set) var generations: [Generation]
}
