internal import CofferFormat
internal import CofferSystem
internal import CofferTrust

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
