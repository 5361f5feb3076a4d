package import CofferCrypto
package import CofferFormat
package import CofferStore

/// The requests for this machine's invitations, as the remote had them at the last sync. They are still sealed.
package struct InvitationMail: Sendable {
  /// The files of one branch.
  package struct Branch: Hashable, Sendable {
    package let invitation: InvitationID
    package let label: Bytes16
    /// The commit.
    package let tip: [UInt8]
    /// The file of the request; nil if there is none that can be read.
    package let request: [UInt8]?
    /// The file of the answer; nil if there is none that can be read.
    package let answer: [UInt8]?
    /// Whether this machine has pushed the answer. Whoever has the code could have put another one there.
    package let isAnsweredHere: Bool

    package init(
      invitation: InvitationID, label: Bytes16, tip: [UInt8], request: [UInt8]?, answer: [UInt8]?,
      isAnsweredHere: Bool = false
    ) {
      self.invitation = invitation
      self.label = label
      self.tip = tip
      self.request = request
      self.answer = answer
      self.isAnsweredHere = isAnsweredHere
    }

    /// The same branch as it was known before, if its answer is the same.
    package func continuing(_ known: Branch?) -> Branch {
      Branch(
        invitation: invitation, label: label, tip: tip, request: request, answer: answer,
        isAnsweredHere: known.map { $0.isAnsweredHere && $0.answer == answer } ?? false)
    }
  }

  package let branches: [Branch]

  /// Whoever has the code could add any number of branches. Those of an invitation beyond this number are ignored.
  package static let branchLimit = 16
  private static let totalLimit = branchLimit * Limits.invitations
  private static let object = "setting invitation-mail"

  package init(_ branches: [Branch] = []) { self.branches = branches }

  /// Reads the files from the settings. A setting that is not readable counts as empty.
  package static func load(from access: borrowing some StoreAccess & ~Copyable) throws -> InvitationMail {
    guard let stored = try access.setting(.invitationMail) else { return InvitationMail() }
    var reader = ByteReader(stored, object: object)
    func file(_ reader: inout ByteReader) throws(FormatError) -> [UInt8]? {
      try reader.optional("file") { (reader) throws(FormatError) in
        try reader.data("file", cap: Limits.invitationFileByteCount)
      }
    }
    let branches = try? reader.list("branches", cap: totalLimit) { (reader) throws(FormatError) in
      Branch(
        invitation: InvitationID(try reader.bytes16("invitation")), label: try reader.bytes16("label"),
        tip: try reader.data("tip", cap: 32), request: try file(&reader), answer: try file(&reader),
        isAnsweredHere: try reader.bool("answered"))
    }
    return InvitationMail(branches ?? [])
  }

  /// Writes the files to the settings.
  package func save(to writer: borrowing StoreWriter) throws(StoreError) {
    guard !branches.isEmpty else { return try writer.setSetting(.invitationMail, nil) }
    var bytes = ByteWriter()
    bytes.list(Array(branches.prefix(Self.totalLimit))) { writer, branch in
      writer.fixed(branch.invitation.raw)
      writer.fixed(branch.label)
      writer.data(branch.tip)
      writer.optional(branch.request) { $0.data($1) }
      writer.optional(branch.answer) { $0.data($1) }
      writer.bool(branch.isAnsweredHere)
    }
    try writer.setSetting(.invitationMail, bytes.bytes)
  }
}
