package import CofferCrypto

/// All domains of the formats, as listed in FORMAT.md. Each has exactly one purpose.
extension Domain {
  package static let genesis = Domain("coffer.genesis.1")
  package static let rootSlot = Domain("coffer.rootslot1")
  package static let vaultKey = Domain("coffer.vaultkey1")
  package static let vaultKeyCheck = Domain("coffer.vk-chck.1")
  package static let device = Domain("coffer.device.1")
  package static let author = Domain("coffer.author.1")
  package static let group = Domain("coffer.group.1")
  package static let logEntry = Domain("coffer.logentry1")
  package static let recordList = Domain("coffer.reclist.1")
  package static let record = Domain("coffer.record.1")
  package static let pendingRecord = Domain("coffer.pending.1")
  package static let recordParts = Domain("coffer.recpart.1")
  package static let sealedPart = Domain("coffer.sealed.1")
  package static let item = Domain("coffer.item.1")
  package static let token = Domain("coffer.token.1")
  package static let segment = Domain("coffer.segment.1")
  package static let payload = Domain("coffer.payload.1")
  package static let keyCommitment = Domain("coffer.keyhash.1")
  package static let localRecord = Domain("coffer.local.1")
  package static let verified = Domain("coffer.verify.1")
  package static let verifiedKey = Domain("coffer.verkey.1")
  package static let summaryKey = Domain("coffer.sumkey.1")
  package static let summaryRow = Domain("coffer.sumrow.1")
  package static let slotCommitment = Domain("coffer.slot.1")
}
