internal import Coffer
internal import CofferFormat
internal import CofferSystem
internal import CofferTrust
package import CofferVault

extension LocalVault {
  /// Returns the invitation that a user means, by at least 4 first characters of its identifier, or without them the
  /// only one that `isMeant`. `what` is a noun in the singular for errors. Throws `itemNotFound` if there is none, or
  /// more than one.
  package func invitation(
    named name: String?, orOnly what: String, where isMeant: (InvitationReview) -> Bool
  ) throws(VaultError) -> InvitationReview {
    let all = try invitationReviews()
    let name = name?.lowercased()
    let found = all.filter { review in
      guard let name else { return isMeant(review) }
      return name.utf8.count >= 4 && review.invitation.id.description.hasPrefix(name)
    }
    if found.count == 1 { return found[0] }
    let list = (found.isEmpty ? all : found).map(\.invitation.id.shortText).joined(separator: ", ")
    let advice = "see them with: coffer device list --invitations"
    guard let name else {
      throw VaultError(
        .itemNotFound, found.isEmpty ? "there is no \(what)" : "there are \(found.count) of this kind: \(list)",
        recoverySuggestion: found.isEmpty ? advice : "name one by its identifier")
    }
    throw VaultError(
      .itemNotFound,
      "\(found.isEmpty ? "no invitation" : "more than one invitation") of this machine begins with \(name.sanitizedForTerminal())",
      recoverySuggestion: list.isEmpty ? "invite a machine with: coffer device invite" : "there are: \(list)")
  }

  /// Cancels an invitation: no request is approved any more, and the next sync refuses one that has come. An approval
  /// that was interrupted before its entries were published is discarded. Throws `invalidArgument` if the invitation
  /// was used or had ended before, and `io` if a change of membership or a sync does not end in time.
  package func cancel(_ review: InvitationReview) throws(VaultError) {
    let id = review.invitation.id
    let lock = try FileLock.acquire(
      path: folder.membershipLockPath, timeout: .seconds(60), purpose: "change of membership")
    defer { extendLifetime(lock) }
    // Nobody changes membership now, so an unpublished entry was left behind: the next sync would publish it.
    let isApproved = try membership().invitations[id] != nil
    let isPublished = try settledMembership().invitations[id] != nil
    if isApproved, !isPublished { try discardUnpublishedLog() }
    let review = try invitationReviews().first { $0.invitation.id == id } ?? review
    switch review.state {
    case .waiting, .altered, .requested: break
    case .used, .cancelled, .severalRequests, .expired:
      throw InvitationApproval.ended(review, in: try settledMembership())
    }
    try invitationBook().update { (invitations) throws(VaultError) in
      guard let index = invitations.firstIndex(where: { $0.id == id }) else { return }
      invitations[index].state = .cancelled
    }
  }
}
