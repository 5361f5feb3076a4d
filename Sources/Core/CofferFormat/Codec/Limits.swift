/// The size limits, checked before bytes are interpreted. FORMAT.md lists each of them.
package enum Limits {
  /// The value of one item, before sealing.
  package static let valueByteCount = 16 << 20
  /// All attributes of one item, before sealing.
  package static let attributesByteCount = 4 << 20
  /// One record: its signed part, sealed attributes and sealed value.
  package static let recordByteCount = 21 << 20
  /// The records of one segment. A record that exceeds the limit gets a segment of its own.
  package static let segmentPayloadByteCount = 4 << 20
  /// One file of the repository.
  package static let objectByteCount = 32 << 20
  /// The body of one log entry.
  package static let logEntryByteCount = 1 << 20
  /// One file of the repository with a log entry: the largest body, the maximum number of boxes, and the padding.
  package static let logEnvelopeByteCount = 4 << 20
  /// The bases in one record.
  package static let bases = 16
  /// The tokens of one record.
  package static let tokens = 64
  /// The records in one segment.
  package static let recordsPerSegment = 65_536
  /// The stream positions in one segment.
  package static let seenStreams = 4_096
  /// The streams that a checkpoint names.
  package static let checkpointStreams = 65_536
  /// The chunks of a snapshot.
  package static let snapshotChunks = 16_384
  /// The entries of one chunk of a snapshot. An entry that exceeds the limit gets a chunk of its own.
  package static let snapshotChunkByteCount = 4 << 20
  /// The signed part of a record with its signature: the largest header has ``bases`` and ``tokens``.
  package static let skeletonByteCount = 4 << 10
  /// The contents of all pending and refused records that a machine keeps because it has no segment with them.
  package static let unadmittedByteCount = 64 << 20
  /// The part of ``unadmittedByteCount`` for the segments of one machine.
  package static let unadmittedByteCountPerDevice = 16 << 20
  /// All entries of other branches of the log that a machine keeps as the proof of a fork.
  package static let competingByteCount = 16 << 20
  /// Those of them that count for nothing, because they leave the log before a succession or are of a removed admin:
  /// enough to show what happened. An attacker who still has push access could sign any number of them.
  package static let voidCompetingByteCount = 64 << 10
  /// A fold of the log in the store. A longer one is not kept.
  package static let foldByteCount = 32 << 20
  /// The entries that one log entry withdraws.
  package static let withdrawnEntries = 1_024
  /// The entries of other branches that one log entry names to end a fork.
  package static let rejectedEntries = 1_024
  /// The keys of rejected branches that one log entry states.
  package static let recoveredKeys = 4_096
  /// The machines that one log entry revokes.
  package static let revokedMachines = 1_024
  /// The streams that a writer names of all machines in one revocation, so that the entry has space for the rest.
  package static let namedStreams = 8_192
  /// The authors that a writer cuts off in one entry. Of more authors, it makes several revocations.
  package static let authorsPerRevocation = 8_192
  /// The apps that one log entry removes.
  package static let revokedApps = 4_096
  /// The authors that one log entry cuts off.
  package static let cutAuthors = 16_384
  /// The objects with the records that stay valid after one revocation.
  package static let recordLists = 1_024
  /// The keys that the entries after a revocation or a succession replace.
  package static let newKeys = 16_384
  /// The items that one log entry dismisses.
  package static let dismissedItems = 16_384
  /// Why items are dismissed, in bytes.
  package static let dismissalReasonByteCount = 256
  /// The vendor's name of a product in a receipt.
  package static let receiptProductByteCount = 256
  /// The free text of a receipt.
  package static let receiptNoteByteCount = 1_024
  /// A receipt as text.
  package static let receiptTextByteCount = 4_096
  /// The groups of one app.
  package static let groupsPerApp = 64
  /// The boxes in one log entry or envelope.
  package static let boxes = 16_384
  /// The attributes of one item.
  package static let attributes = 1_024
  /// The transport keys of a vault, all of which a device file contains.
  package static let transportKeys = 4_096
  /// Those of them that only root can introduce: an admin cannot use up what removes the admin.
  package static let transportKeysForRoot = 256
  /// The access groups of a vault. A change that replaces all their keys fits one batch.
  package static let groups = 4_096
  /// The apps in a headless credential.
  package static let appsPerHeadlessCredential = 64
  /// One file of an invitation in the repository.
  package static let invitationFileByteCount = 4 << 10
  /// The invitations that a machine keeps, open and ended ones.
  package static let invitations = 64
  /// The apps that an invitation gives.
  package static let appsPerInvitation = 64
  /// The URL of a repository in a file of this machine.
  package static let urlByteCount = 4 << 10
  /// The greatest number of a log entry or segment. The number after it is still a positive 64-bit integer.
  package static let position = UInt64(Int64.max) - 1
  /// The name of a machine, in bytes.
  package static let deviceNameByteCount = 128
  /// An application identifier, bundle identifier or access group, in bytes.
  package static let identifierByteCount = 512
  /// An entitlements plist.
  package static let entitlementsByteCount = 64 << 10
}
