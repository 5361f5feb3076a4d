internal import CofferCrypto
package import CofferFormat
internal import CofferStore
internal import CofferSystem
package import CofferTrust

/// What has become of an invitation, by the log, by the clock and by the requests that the remote has.
package struct InvitationReview: Sendable {
  /// Who may do what next.
  package enum State: Hashable, Sendable {
    /// Nobody has asked yet.
    case waiting
    /// The remote has a request that does not open: somebody has altered it.
    case altered
    /// One machine asks to be enrolled.
    case requested
    /// The log has the machine.
    case used(DeviceID)
    case cancelled
    /// Two machines have asked: one of them has the code from somebody else than the inviter.
    case severalRequests
    case expired
  }

  /// A genuine request.
  package struct Request: Sendable {
    package let branch: InvitationMail.Branch
    package let request: InvitationRequest
  }

  package let invitation: Invitation
  /// The genuine requests for this vault, each once.
  package let requests: [Request]
  package let state: State
  /// Whether the machine that was enrolled was removed since.
  private let isRemoved: Bool

  /// Takes an invitation, what the remote has, the membership without entries that are not published, and the present.
  package init(of invitation: Invitation, in mail: InvitationMail, _ membership: Membership, at time: Timestamp) {
    self.invitation = invitation
    let (key, id) = (invitation.key, invitation.id)
    var requests: [Request] = []
    var unreadableCount = 0
    for branch in mail.branches where branch.invitation == id {
      // A copy under the label of another request is nothing new. The code pins the vault, so only an altered program
      // asks for another one.
      guard let file = branch.request, let request = try? InvitationRequest(opening: file, with: key),
        key.label(of: request.hash) == branch.label, request.genesis == membership.genesis.hash
      else {
        unreadableCount += 1
        continue
      }
      requests.append(Request(branch: branch, request: request))
    }
    self.requests = requests
    isRemoved = membership.invitations[id].map { membership.devices[$0]?.revocation != nil } ?? false
    let hashes = Set(requests.map(\.request.hash)).union(invitation.requests)
    state =
      if let device = membership.invitations[id] {
        .used(device)
      } else if invitation.state == .cancelled {
        .cancelled
      } else if invitation.state == .burned || hashes.count > 1 {
        .severalRequests
      } else if time >= invitation.expires {
        .expired
      } else if !requests.isEmpty {
        .requested
      } else {
        unreadableCount > 0 ? .altered : .waiting
      }
  }

  /// Returns why a genuine request is refused; nil if it was approved, or can be.
  package func refusal(of request: InvitationRequest, in vault: VaultID) -> InvitationAnswer.Refusal? {
    switch state {
    case .used(let device):
      if device != DeviceID(vault: vault, keys: request.keys) {
        .used
      } else {
        // A host could show its request again, to get the newest transport key for it.
        isRemoved ? .cancelled : nil
      }
    case .cancelled: .cancelled
    case .severalRequests: .severalRequests
    case .expired: .expired
    case .waiting, .altered, .requested: nil
    }
  }
}

extension LocalVault {
  /// The invitations that this machine has made.
  package func invitationBook() throws(VaultError) -> InvitationBook {
    InvitationBook(in: folder, of: try membership().genesis.hash)
  }

  /// Returns what has become of this machine's invitations, the oldest first, by what the last sync has found.
  package func invitationReviews() throws(VaultError) -> [InvitationReview] {
    let invitations = try invitationBook().invitations()
    guard !invitations.isEmpty else { return [] }
    let now = Timestamp.now
    return try translatingErrors {
      try store.read { reader in
        let mail = try InvitationMail.load(from: reader)
        let membership = try publishedLog(in: reader).membership
        return invitations.map { InvitationReview(of: $0, in: mail, membership, at: now) }
      }
    }
  }
}

/// What a sync says of one invitation that was made on this machine.
package struct InvitationNotice: Hashable, Sendable, Codable {
  /// What is the case.
  package enum State: String, Hashable, Sendable, Codable {
    /// A machine asks to be enrolled.
    case requested
    /// Two machines have asked with one code, and both are refused.
    case severalRequests
    /// The request does not open.
    case altered
  }

  /// The beginning of the invitation's identifier, which commands take.
  package let invitation: String
  package let state: State
  /// The name that the machine asks for; nil unless one asks.
  package let name: String?
  /// The words of its request; nil unless one asks.
  package let words: String?

  /// Returns the notice of an invitation; nil if nothing waits for its owner.
  package init?(_ review: InvitationReview) {
    invitation = review.invitation.id.shortText
    switch review.state {
    case .requested:
      state = .requested
      name = review.requests.first?.request.name
      words = review.requests.first?.request.hash.phrase
    case .severalRequests where !review.requests.isEmpty: (state, name, words) = (.severalRequests, nil, nil)
    case .altered: (state, name, words) = (.altered, nil, nil)
    case .waiting, .used, .cancelled, .expired, .severalRequests: return nil
    }
  }

  /// The notice as lines for people.
  package var lines: [String] {
    switch state {
    case .requested:
      [
        "The machine \((name ?? "").sanitizedForTerminal()) asks to be enrolled with the invitation \(invitation).",
        "  Its words: \(words ?? "")",
        "  If it shows the same words, run: coffer device approve \(invitation)",
      ]
    case .severalRequests:
      [
        "Two machines have asked with the code of the invitation \(invitation): somebody else has it. Both are refused.",
        "  Find out how the code got out, then invite again: coffer device invite",
      ]
    case .altered:
      [
        "A request for the invitation \(invitation) does not open: somebody with push access has altered it.",
        "  If the new machine still waits, it posts its request again. Otherwise invite again: coffer device invite",
      ]
    }
  }
}
