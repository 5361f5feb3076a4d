package import CofferCrypto

/// A kind of top-level object. Each object starts with four ASCII characters for its kind, followed by a version byte.
package struct ObjectKind: Hashable, Sendable {
  /// The four characters as bytes.
  package let magic: [UInt8]
  let version: UInt8
  /// The object's name in errors and in FORMAT.md.
  package let name: String

  private init(_ magic: StaticString, version: UInt8, name: String) {
    self.magic = Array(magic.description.utf8)
    self.version = version
    self.name = name
  }

  package static let genesis = ObjectKind("CfGe", version: 1, name: "genesis")
  package static let rootSlot = ObjectKind("CfRs", version: 3, name: "root slot")
  package static let logEntry = ObjectKind("CfLe", version: 1, name: "log entry")
  package static let envelope = ObjectKind("CfEn", version: 1, name: "envelope")
  package static let record = ObjectKind("CfRe", version: 2, name: "record")
  package static let attributes = ObjectKind("CfAt", version: 1, name: "attributes")
  package static let protectedValue = ObjectKind("CfPv", version: 2, name: "protected value")
  package static let recordList = ObjectKind("CfRl", version: 1, name: "record list")
  package static let segment = ObjectKind("CfSe", version: 1, name: "segment")
  package static let checkpoint = ObjectKind("CfCk", version: 1, name: "checkpoint")
  package static let snapshotChunk = ObjectKind("CfSn", version: 1, name: "snapshot chunk")
  package static let closing = ObjectKind("CfEc", version: 1, name: "closing")
  package static let credential = ObjectKind("CfCr", version: 1, name: "credential")
  package static let deviceFile = ObjectKind("CfDf", version: 1, name: "device file")
  package static let adminFile = ObjectKind("CfAf", version: 1, name: "admin file")
  package static let deliveryFile = ObjectKind("CfDk", version: 1, name: "delivery file")
  package static let headlessCredential = ObjectKind("CfHc", version: 1, name: "headless credential")
  package static let fold = ObjectKind("CfFo", version: 1, name: "fold")
  package static let invitationRequest = ObjectKind("CfIr", version: 1, name: "invitation request")
  package static let invitationAnswer = ObjectKind("CfIa", version: 1, name: "invitation answer")
  package static let invitationsFile = ObjectKind("CfIv", version: 1, name: "invitations file")
  package static let pendingEnrolment = ObjectKind("CfPe", version: 1, name: "pending enrolment")
  package static let backupStatement = ObjectKind("CfBs", version: 1, name: "backup statement")
  package static let backupKey = ObjectKind("CfBv", version: 1, name: "backup key")
  package static let receipt = ObjectKind("CfRt", version: 1, name: "receipt")
}

extension ByteWriter {
  /// Writes the start of an object: kind and version, which is the current one by default.
  package mutating func begin(_ kind: ObjectKind, version: UInt8? = nil) {
    fixed(kind.magic)
    u8(version ?? kind.version)
  }
}

extension ByteReader {
  /// Reads the start of an object.
  package mutating func begin(_ kind: ObjectKind) throws(FormatError) {
    guard try skip(kind.magic, "kind") else { throw failure(.otherKind, "kind") }
    guard try u8("version") == kind.version else { throw failure(.unsupportedVersion, "version") }
  }

  /// Reads the start of an object that has several versions, and returns the version, from `oldest` to the current one.
  mutating func begin(_ kind: ObjectKind, since oldest: UInt8) throws(FormatError) -> UInt8 {
    guard try skip(kind.magic, "kind") else { throw failure(.otherKind, "kind") }
    let version = try u8("version")
    guard (oldest...kind.version).contains(version) else { throw failure(.unsupportedVersion, "version") }
    return version
  }
}

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
  package static let boxes = Domain("coffer.boxes.1")
  package static let mixedKey = Domain("coffer.mixkey.1")
  package static let recordList = Domain("coffer.reclist.1")
  package static let record = Domain("coffer.record.1")
  package static let pendingRecord = Domain("coffer.pending.1")
  package static let recordParts = Domain("coffer.recpart.1")
  package static let sealedPart = Domain("coffer.sealed.1")
  package static let item = Domain("coffer.item.1")
  package static let token = Domain("coffer.token.1")
  package static let stream = Domain("coffer.stream.1")
  package static let segment = Domain("coffer.segment.1")
  package static let payload = Domain("coffer.payload.1")
  package static let checkpoint = Domain("coffer.checkpt.1")
  package static let snapshotChunk = Domain("coffer.snapshot1")
  package static let closing = Domain("coffer.closing.1")
  package static let backup = Domain("coffer.backup.1")
  package static let backupFile = Domain("coffer.bakfile.1")
  package static let backupFiles = Domain("coffer.baklist.1")
  package static let keyCommitment = Domain("coffer.keyhash.1")
  package static let localRecord = Domain("coffer.local.1")
  package static let verified = Domain("coffer.verify.1")
  package static let verifiedKey = Domain("coffer.verkey.1")
  package static let verifiedGroup = Domain("coffer.vergrp.1")
  package static let summaryKey = Domain("coffer.sumkey.1")
  package static let summaryRow = Domain("coffer.sumrow.1")
  package static let fold = Domain("coffer.fold.1")
  package static let foldKey = Domain("coffer.foldkey.1")
  package static let foldProof = Domain("coffer.foldmac.1")
  package static let slotCommitment = Domain("coffer.slot.1")
  package static let invitation = Domain("coffer.invite.1")
  package static let invitationCheck = Domain("coffer.in-chck.1")
  package static let pairingCheck = Domain("coffer.pr-chck.1")
  package static let invitationID = Domain("coffer.inviteid1")
  package static let invitationLabel = Domain("coffer.invlabel1")
  package static let invitationRequest = Domain("coffer.request.1")
  package static let team = Domain("coffer.team.1")
  package static let teamKeyCheck = Domain("coffer.tm-chck.1")
  package static let receipt = Domain("coffer.receipt.1")
  package static let buyer = Domain("coffer.buyer.1")
  package static let shopKeyCheck = Domain("coffer.sh-chck.1")
}
