package import CofferCrypto
package import CofferFormat
package import CofferStore
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

/// The requests for this machine's invitations, as the remote had them at the last sync. They are still sealed.
package struct InvitationMail: Sendable {
  /// The files of one branch.
  package struct Branch: Hashable, Fielded {
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

    package init(_ value: Branch?, _ coder: inout FieldCoder) throws(FormatError) {
      func file(_ coder: inout FieldCoder, _ value: [UInt8]?) throws(FormatError) -> [UInt8] {
        try coder.data(value, "file", cap: Limits.invitationFileByteCount)
      }
      invitation = try coder.id(value?.invitation, "identifier")
      label = try coder.value(
        value?.label, { $0.fixed($1) }, { (reader) throws(FormatError) in try reader.bytes16("label") })
      tip = try coder.data(value?.tip, "tip", cap: 32)
      request = try coder.optional(value?.request, "request", file)
      answer = try coder.optional(value?.answer, "answer", file)
      isAnsweredHere = try coder.bool(value?.isAnsweredHere, "answered")
    }

    /// The same branch as it was value before, if its answer is the same.
    package func continuing(_ value: Branch?) -> Branch {
      Branch(
        invitation: invitation, label: label, tip: tip, request: request, answer: answer,
        isAnsweredHere: value.map { $0.isAnsweredHere && $0.answer == answer } ?? false)
    }
  }

  package let branches: [Branch]

  /// Whoever has the code could add any number of branches. Those of an invitation beyond this number are ignored.
  package static let branchLimit = 16
  private static let totalLimit = branchLimit * Limits.invitations

  package init(_ branches: [Branch] = []) { self.branches = branches }

  /// Reads the files from the settings. A setting that is not readable counts as empty.
  package static func load(from access: borrowing some StoreAccess & ~Copyable) throws -> InvitationMail {
    InvitationMail(try access.value(.invitationMail) ?? [])
  }

  /// Writes the files to the settings.
  package func save(to writer: borrowing StoreWriter) throws(StoreError) {
    try writer.set(.invitationMail, to: [Branch](branches.prefix(Self.totalLimit)))
  }
}

extension InvitationID {
  /// The beginning of the identifier, by which people name an invitation.
  package var shortText: String { String(description.prefix(8)) }
}
