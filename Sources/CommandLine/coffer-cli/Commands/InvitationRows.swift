internal import Coffer
internal import CofferAdministration
internal import CofferFormat
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferTrust
internal import CofferVault

/// The invitations of this machine in a table, or in the output of `--json`.
struct InvitationRows {
  private let reviews: [InvitationReview]
  private let membership: Membership

  /// Reads the invitations, with `isComplete` also those for which nothing can happen any more.
  static func read(from local: LocalVault, all isComplete: Bool) throws(VaultError) -> InvitationRows {
    let reviews = try local.invitationReviews().filter { review in
      switch review.state {
      case .waiting, .altered, .requested: true
      case .severalRequests: isComplete || !review.requests.isEmpty
      case .used, .cancelled, .expired: isComplete
      }
    }
    return InvitationRows(reviews: reviews, membership: try local.settledMembership())
  }

  var isEmpty: Bool { reviews.isEmpty }

  /// Prints the invitations.
  func show(asJSON json: Bool) throws {
    guard !json else { return try Output.json(reviews.map(object(of:))) }
    guard !isEmpty else { return try Output.line("This machine has made no invitation.") }
    try Output.table(
      [["INVITATION", "FOR", "EXPIRES", "STATE"]]
        + reviews.map { review in
          [
            review.invitation.id.shortText, purpose(of: review.invitation),
            Output.date(review.invitation.expires.date), words(for: review),
          ]
        })
    for review in reviews where review.state == .requested {
      let id = review.invitation.id.shortText
      try Output.line(
        "The words of the request for \(id): \(review.requests.first?.request.hash.phrase ?? ""). If they are equal there, run: coffer device approve \(id)"
      )
    }
  }

  private func object(of review: InvitationReview) -> JSONObject {
    let request = review.state == .requested ? review.requests.first?.request : nil
    var name = request?.name ?? review.invitation.name
    if case .used(let device) = review.state { name = membership.devices[device]?.name }
    return [
      "invitation": review.invitation.id.shortText, "state": review.state.name,
      "isAdmin": review.invitation.isForAdmin, "apps": review.invitation.applications.map(JSONObject.app),
      "created": review.invitation.created.date, "expires": review.invitation.expires.date, "name": name,
      "words": request?.hash.phrase,
    ]
  }

  private func purpose(of invitation: Invitation) -> String {
    if invitation.isForAdmin { return "an admin" }
    return "a member with \(counted(invitation.applications.count, "app"))"
  }

  private func words(for review: InvitationReview) -> String {
    switch review.state {
    case .waiting: "open"
    case .altered: "a request that does not open"
    case .requested: "\(Output.name(review.requests.first?.request.name ?? "")) asks"
    case .used(let device): "used by \(Output.name(membership.devices[device]?.name ?? "a machine"))"
    case .cancelled: "cancelled"
    case .severalRequests: "two machines have asked; both are refused"
    case .expired: "expired"
    }
  }
}

extension InvitationReview.State {
  /// The state in the output of `--json`.
  fileprivate var name: String {
    switch self {
    case .waiting: "waiting"
    case .altered: "altered"
    case .requested: "requested"
    case .used: "used"
    case .cancelled: "cancelled"
    case .severalRequests: "severalRequests"
    case .expired: "expired"
    }
  }
}
