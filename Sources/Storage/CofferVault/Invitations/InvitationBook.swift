package import CofferFormat
internal import CofferSystem

/// The invitations that this machine has made, in a file of its vault.
package struct InvitationBook: Sendable {
  private let folder: VaultFolder
  private let genesis: EntryHash

  package init(in folder: VaultFolder, of genesis: EntryHash) {
    self.folder = folder
    self.genesis = genesis
  }

  /// Returns the invitations, the oldest first; none if this machine has made none. Throws `integrity` for a file that
  /// is damaged or belongs to another vault.
  package func invitations() throws(VaultError) -> [Invitation] {
    guard folder.invitationsFile.exists else { return [] }
    return try folder.invitationsFile.read(InvitationsFile.self, of: genesis).invitations
  }

  /// Changes the invitations. Other programs wait meanwhile. If `change` throws, nothing is changed.
  package func update<Result>(
    _ change: (inout [Invitation]) throws(VaultError) -> Result
  ) throws(VaultError) -> Result {
    let lock = try folder.invitationsFile.lock(timeout: .seconds(10))
    defer { extendLifetime(lock) }
    var invitations = try invitations()
    let result = try change(&invitations)
    try folder.invitationsFile.write(InvitationsFile(genesis: genesis, invitations: invitations))
    return result
  }

  /// How long an invitation is kept after its expiry, to explain why its code is not accepted: 7 days, in microseconds.
  private static let keptMicroseconds: Int64 = 7 * 24 * 60 * 60 * 1_000_000

  /// Adds an invitation, and forgets those that expired long ago. If there are too many, it forgets the oldest one that
  /// was used, cancelled, or refused to two machines, or has expired. Throws `invalidArgument` if there are too many
  /// that are open. By the invitations in `used`, the log has enrolled a machine.
  package func add(_ invitation: Invitation, used: Set<InvitationID>) throws(VaultError) {
    let start = invitation.created.microseconds - Self.keptMicroseconds
    try update { (invitations) throws(VaultError) in
      invitations.removeAll { $0.expires.microseconds < start }
      let ended = invitations.firstIndex {
        $0.state != .open || $0.expires <= invitation.created || used.contains($0.id)
      }
      if invitations.count >= Limits.invitations, let ended { invitations.remove(at: ended) }
      guard invitations.count < Limits.invitations else {
        throw VaultError(
          .invalidArgument, "this machine has made \(Limits.invitations) invitations that are open",
          recoverySuggestion: "cancel those that are not needed: coffer device invite --cancel")
      }
      invitations.append(invitation)
    }
  }
}
