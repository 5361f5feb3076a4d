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
  package static let rootSlot = ObjectKind("CfRs", version: 2, name: "root slot")
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
}

extension ByteWriter {
  /// Writes the start of an object: kind and version.
  package mutating func begin(_ kind: ObjectKind) {
    fixed(kind.magic)
    u8(kind.version)
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
