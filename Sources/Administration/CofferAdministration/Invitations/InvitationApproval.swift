package import Coffer
internal import CofferCrypto
package import CofferFormat
package import CofferPlatform
internal import CofferSystem
package import CofferTrust
package import CofferVault

/// Approves the request of a machine that was invited on this one.
///
/// The machine comes into the log as a member, with the keys of its apps. It becomes an admin by an appointment in the
/// same change, which root signs as every appointment: whoever steals this machine, with its invitations, must not be
/// able to make itself another admin.
package struct InvitationApproval: Sendable {
  /// What is to be approved.
  package struct Proposal: Sendable {
    package let invitation: InvitationID
    /// The name that the machine gets, if no other one has it.
    package let name: String
    /// The name that it asks for.
    package let requestedName: String
    package let isForAdmin: Bool
    /// In ascending order.
    package let applications: [ApplicationID]
    package let expires: Date
    /// The words of the request, which both screens show.
    package let words: String
    fileprivate let request: InvitationRequest
  }

  private let local: LocalVault
  private let allowsLogFork: Bool

  /// With `allowingLogFork`, changes membership although another machine has seen entries of the log that this one
  /// lacks.
  package init(in local: LocalVault, allowingLogFork: Bool = false) {
    self.local = local
    allowsLogFork = allowingLogFork
  }

  /// Returns what an invitation's request asks for, with what it is given. Throws `itemNotFound` if no machine has
  /// asked; `integrity` if a request was altered, or if two machines have asked; `invalidArgument` if the invitation
  /// was used, was cancelled or has expired; `notEntitled` if an app is not registered any more.
  package func proposal(of id: InvitationID) throws(VaultError) -> Proposal {
    guard let review = try local.invitationReviews().first(where: { $0.invitation.id == id }) else {
      throw VaultError(
        .itemNotFound, "the invitation \(id.shortText) was not made on this machine",
        recoverySuggestion: "approve the request where the invitation was made")
    }
    let membership = try local.publishedMembership()
    guard review.state == .requested, let request = review.requests.first?.request else {
      throw Self.unapprovable(review, in: membership)
    }
    let invitation = review.invitation
    var applications = Array(membership.apps.keys)
    if !invitation.isForAdmin {
      applications = membership.apps.keys.filter { invitation.applications.contains($0.description) }
      let known = Set(applications.map(\.description))
      if let missing = invitation.applications.first(where: { !known.contains($0) }) {
        throw VaultError(
          .notEntitled, "\(missing), which the invitation gives, is not registered any more",
          recoverySuggestion:
            "invite again without it; cancel this one with: coffer device invite --cancel \(id.shortText)")
      }
    }
    return Proposal(
      invitation: id, name: invitation.name ?? request.name, requestedName: request.name,
      isForAdmin: invitation.isForAdmin, applications: applications.sorted { $0.description < $1.description },
      expires: invitation.expires.date, words: request.hash.phrase, request: request)
  }

  /// Enrols the machine as a member with its apps, all or nothing. Call it again if it was not published, because
  /// another machine's entries came first. Throws as ``proposal(of:)``, also if something else has come since the user
  /// approved the proposal.
  package func run(_ proposal: Proposal, passphrase: PassphraseSource) throws(VaultError) -> LogPosition? {
    try check(proposal)
    let session = try AdminSession.open(local, allowingLogFork: allowsLogFork, passphrase: passphrase)
    return try enrol(proposal, by: session)
  }

  /// Enrols the machine as an admin with every app, all or nothing. As ``run(_:passphrase:)``.
  package func run(_ proposal: Proposal, vaultKey: VaultKey) throws(VaultError) -> LogPosition? {
    try check(proposal)
    return try enrol(proposal, by: AdminSession.openRoot(local, vaultKey: vaultKey, allowingLogFork: allowsLogFork))
  }

  /// Returns the newest request that waits for the owner; nil without one.
  package func waitingProposal() throws(VaultError) -> Proposal? {
    guard let review = try local.invitationReviews().last(where: { $0.state == .requested }) else { return nil }
    return try proposal(of: review.invitation.id)
  }

  /// Cancels the invitation of a request whose words differ. The next sync tells the machine.
  package func refuse(_ proposal: Proposal) throws(VaultError) {
    let review = try local.invitationReviews().first { $0.invitation.id == proposal.invitation }
    if let review { try local.cancel(review) }
  }

  /// Enrols the machine, and publishes that. An admin needs the vault key: from `ask`, or if that returns nil, the one
  /// that this machine keeps.
  package func publish(
    _ proposal: Proposal, passphrase: PassphraseSource, by publication: MembershipPublication,
    vaultKey ask: () throws(VaultError) -> VaultKey?
  ) throws {
    let source = passphrase.rememberingFirst()
    let key = proposal.isForAdmin ? try ask() ?? KeptVaultKey.read(in: local, passphrase: source) : nil
    try publication.change(local) { (_) throws(VaultError) in
      if let key { return try run(proposal, vaultKey: key) }
      return try run(proposal, passphrase: source)
    }
  }

  /// Checks again what the user has seen: the sync before the change may have brought a second request.
  private func check(_ proposal: Proposal) throws(VaultError) {
    guard try self.proposal(of: proposal.invitation).request == proposal.request else {
      throw VaultError(
        .integrity, "the request for the invitation \(proposal.invitation.shortText) was exchanged meanwhile",
        recoverySuggestion: "see what waits with: coffer device list --invitations")
    }
  }

  private func enrol(_ proposal: Proposal, by session: AdminSession) throws(VaultError) -> LogPosition? {
    // While the passphrase was typed, the invitation may have expired, or a sync have brought a second request.
    try check(proposal)
    return try session.change(allowingLogFork: allowsLogFork) { draft in
      let (signer, keys) = (session.signer, session.keys)
      let request = proposal.request
      let machine = try draft.enrol(
        DeviceStatement(
          keys: request.keys, role: .invited(proposal.invitation, delivery: request.deliveryKey),
          name: draft.membership.unusedDeviceName(proposal.name)),
        by: signer, key: keys.signing)
      let apps = try proposal.applications.map { application throws(VaultError) in
        guard let app = draft.membership.apps[application] else { throw VaultError.notRegistered(application) }
        if !proposal.isForAdmin { try draft.membership.checkAllowsFile(for: app) }
        return app
      }
      for app in apps where draft.membership.allowsFile(for: app) {
        try draft.deliver(app, to: machine, by: signer, key: keys.signing)
      }
      if proposal.isForAdmin {
        try draft.appoint(machine, with: keys)
      } else {
        for app in apps { try draft.grantGroups(of: app.entitlements, by: signer, with: keys) }
      }
    }.position
  }

  /// The error for an invitation without a request that can be approved.
  private static func unapprovable(_ review: InvitationReview, in membership: Membership) -> VaultError {
    let id = review.invitation.id.shortText
    switch review.state {
    case .waiting, .requested:
      return VaultError(
        .itemNotFound, "no machine has asked to be enrolled with the invitation \(id)",
        recoverySuggestion:
          "on the new machine, run `coffer clone --invite URL` and type the code; then repeat this command")
    case .altered:
      return VaultError(
        .integrity,
        "the request for the invitation \(id) does not open: somebody with push access has altered it",
        recoverySuggestion:
          "if the new machine still waits, sync again, because it posts its request again; otherwise invite again, and do not trust the repository's host"
      )
    case .used, .cancelled, .severalRequests, .expired: return ended(review, in: membership)
    }
  }

  /// The error for an invitation that has ended.
  static func ended(_ review: InvitationReview, in membership: Membership) -> VaultError {
    let id = review.invitation.id.shortText
    let again = "to enrol another machine, invite again: coffer device invite"
    switch review.state {
    case .used(let device):
      let name = membership.name(of: device)
      return VaultError(
        .invalidArgument, "the invitation \(id) was used already: it has enrolled \(name)", recoverySuggestion: again)
    case .severalRequests:
      return VaultError(
        .integrity, "two machines have asked with the code of the invitation \(id), and both are refused",
        recoverySuggestion:
          "somebody else has the code: find out how it got out, and invite again: coffer device invite")
    case .expired:
      return VaultError(
        .invalidArgument, "the invitation \(id) expired on \(review.invitation.expires.date.localText)",
        recoverySuggestion: again)
    case .cancelled, .waiting, .altered, .requested:
      return VaultError(.invalidArgument, "the invitation \(id) was cancelled", recoverySuggestion: again)
    }
  }
}

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
    let isPublished = try publishedMembership().invitations[id] != nil
    if isApproved, !isPublished { try discardUnpublishedLog() }
    let review = try invitationReviews().first { $0.invitation.id == id } ?? review
    switch review.state {
    case .waiting, .altered, .requested: break
    case .used, .cancelled, .severalRequests, .expired:
      throw InvitationApproval.ended(review, in: try publishedMembership())
    }
    try invitationBook().update { (invitations) throws(VaultError) in
      guard let index = invitations.firstIndex(where: { $0.id == id }) else { return }
      invitations[index].state = .cancelled
    }
  }
}
