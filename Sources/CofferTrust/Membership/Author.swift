package import CofferCrypto
package import CofferFormat

/// An author of records.
package struct Author: Hashable, Sendable {
  /// The kind of author.
  package enum Role: Hashable, Sendable {
    /// The owner of a machine, who may read and write every group.
    case admin(DeviceID)
    /// An app on a machine, with the access of its registration.
    case principal(ApplicationID, registration: EntryHash, DeviceID)
  }

  package let id: AuthorID
  package let keys: PartyPublicKeys
  package let role: Role

  /// The machine of this author.
  package var device: DeviceID {
    switch role {
    case .admin(let device), .principal(_, _, let device): device
    }
  }
}
