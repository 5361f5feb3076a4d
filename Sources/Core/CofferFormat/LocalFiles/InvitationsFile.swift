/// The invitations of one inviter.
///
/// It is not sealed under the passphrase: every sync looks for requests, and what its keys open is worth nothing without
/// the approval, which needs the keys of the admin.
package struct InvitationsFile: SecretObject {
  package let genesis: EntryHash
  /// The oldest first.
  package var invitations: [Invitation]

  package init(genesis: EntryHash, invitations: [Invitation] = []) {
    self.genesis = genesis
    self.invitations = invitations
  }

  package func secretBytes() -> [UInt8] {
    // Room for everything: an array that grows leaves copies of the keys behind.
    let capacity = invitations.reduce(256) { total, invitation in
      total + 512 + invitation.applications.reduce(0) { $0 + 4 + $1.utf8.count }
    }
    var writer = ByteWriter(reserving: capacity)
    writer.begin(.invitationsFile)
    writer.fixed(genesis.raw)
    writer.list(invitations)
    return writer.bytes
  }

  package init(secretBytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(secretBytes, object: ObjectKind.invitationsFile.name)
    try reader.begin(.invitationsFile)
    genesis = EntryHash(try reader.bytes32("genesis"))
    invitations = try reader.list("invitations", cap: Limits.invitations)
    try reader.finish()
  }
}
