internal import CofferCrypto
internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferTrust
internal import CofferVault
internal import Logging

/// What a sync does for the invitations of this machine: it takes their requests from the remote, and answers those
/// that the log has decided, or that cannot be approved any more.
///
/// The answer to an approved request is made here, from the log, so that an interruption between the approval and the
/// answer needs no attention: the next sync answers.
struct InvitationExchange: SyncPart {
  let session: SyncSession

  /// The maximum size of a transfer with the requests of all invitations.
  private static let byteLimit = 4 << 20

  /// Exchanges requests and answers. Nothing that a remote shows makes the sync fail; failures are problems of the
  /// report. What waits for the owner is in the report, too.
  func run(_ branches: [RemoteLayout.InvitationBranch: ObjectID]) throws {
    let book = try local.invitationBook()
    let invitations: [Invitation]
    do throws(VaultError) {
      invitations = try book.invitations()
    } catch {
      report.add(.invitation, "requests for invitations were not looked for: \(error.description)")
      return
    }
    guard !invitations.isEmpty else { return }
    try read(branches, of: invitations)
    try recordRequests(in: book)
    for review in try local.invitationReviews() {
      for request in review.requests {
        do {
          try answer(request, review)
        } catch {
          // One request must not keep the others from their answers.
          let message = (error as? GitError)?.message ?? VaultError(translating: error).message
          report.add(
            .invitation, "a request for the invitation \(review.invitation.id.shortText) was not answered: \(message)")
        }
      }
    }
    report.invitations = try local.invitationReviews().compactMap(InvitationNotice.init)
  }

  // MARK: Requests

  /// Takes the files of the branches that were made with the codes of this machine's invitations. Files that were taken
  /// before are not fetched again.
  private func read(_ branches: [RemoteLayout.InvitationBranch: ObjectID], of invitations: [Invitation]) throws {
    let own = Dictionary(invitations.map { ($0.id, $0.key) }) { first, _ in first }
    let mail = try local.store.read { try InvitationMail.load(from: $0) }.branches
    let known = Dictionary(mail.map { (RemoteLayout.InvitationBranch($0), $0) }) { first, _ in first }
    var files: [InvitationMail.Branch] = []
    var wanted: [RemoteLayout.InvitationBranch: ObjectID] = [:]
    // An attacker with push access can add branches of any other name.
    let genuine = branches.keys.filter { own[$0.invitation]?.hasMade($0.label) == true }
    for (id, all) in Dictionary(grouping: genuine, by: \.invitation) {
      if all.count > InvitationMail.branchLimit {
        reportUnsound(
          "has \(all.count) branches that were made with the code of the invitation \(id.shortText), of which \(InvitationMail.branchLimit) are read: somebody else has the code"
        )
      }
      for branch in all.sorted(by: { $0.name < $1.name }).prefix(InvitationMail.branchLimit) {
        let tip = branches[branch]
        if let taken = known[branch], taken.tip == tip?.bytes { files.append(taken) } else { wanted[branch] = tip }
      }
    }
    if !wanted.isEmpty {
      files += try fetch(wanted, known).map { $0.continuing(known[RemoteLayout.InvitationBranch($0)]) }
    }
    guard files != mail else { return }
    let sorted = InvitationMail(files.sorted { ($0.invitation, $0.label) < ($1.invitation, $1.label) })
    try local.store.write { try sorted.save(to: $0) }
  }

  /// Fetches branches. If one of them spoils the transfer of all, each is fetched alone.
  /// One that cannot be fetched now stays as it is known.
  private func fetch(
    _ branches: [RemoteLayout.InvitationBranch: ObjectID],
    _ known: [RemoteLayout.InvitationBranch: InvitationMail.Branch]
  ) throws -> [InvitationMail.Branch] {
    defer { for branch in branches.keys { try? repository.setReference(branch.cached, to: nil) } }
    do throws(GitError) {
      return try fetchTogether(Array(branches.keys))
    } catch {
      logger.debug("fetching requests failed", metadata: ["error": "\(error.message)"])
    }
    var files: [InvitationMail.Branch] = []
    for (branch, tip) in branches {
      do throws(GitError) {
        files += try fetchTogether([branch])
      } catch {
        guard !connection.cancellation.isCancelled else { throw error }
        // The damaged cache is fetched anew. A new one tells the remote's faults from its own.
        if error.code == .corrupt, !repository.isNew { throw error }
        guard error.isFaultOfObject else {
          // Not remembered with its commit: the next sync has to fetch it again.
          report.add(
            .invitation,
            "a request for the invitation \(branch.invitation.shortText) was not fetched: \(error.message)")
          if let earlier = known[branch] { files.append(earlier) }
          continue
        }
        reportUnsound(
          "has a request for the invitation \(branch.invitation.shortText) that cannot be fetched: \(error.message)")
        files.append(
          InvitationMail.Branch(
            invitation: branch.invitation, label: branch.label, tip: tip.bytes, request: nil, answer: nil))
      }
    }
    return files
  }

  private func fetchTogether(
    _ branches: [RemoteLayout.InvitationBranch]
  ) throws(GitError) -> [InvitationMail.Branch] {
    let wanted = Dictionary(branches.map { ($0.name, $0.cached) }) { first, _ in first }
    let references = try connection.fetch(atMost: Self.byteLimit) { _ in wanted }
    var files: [InvitationMail.Branch] = []
    for branch in branches {
      guard let tip = references[branch.name] else { continue }
      files.append(
        InvitationMail.Branch(
          invitation: branch.invitation, label: branch.label, tip: tip.bytes,
          request: try repository.invitationFile(RemoteLayout.InvitationBranch.requestPath, at: tip),
          answer: try repository.invitationFile(RemoteLayout.InvitationBranch.answerPath, at: tip)))
    }
    return files
  }

  /// Remembers the genuine requests: a host could show one today and another one tomorrow.
  private func recordRequests(in book: InvitationBook) throws {
    let reviews = try local.invitationReviews()
    let isNew = reviews.contains { review in
      review.requests.contains { !review.invitation.requests.contains($0.request.hash) }
    }
    guard isNew else { return }
    try book.update { (invitations) throws(VaultError) in
      for index in invitations.indices {
        for request in reviews.first(where: { $0.invitation.id == invitations[index].id })?.requests ?? [] {
          _ = invitations[index].record(request.request.hash)
        }
      }
    }
  }

  // MARK: Answers

  private func answer(_ request: InvitationReview.Request, _ review: InvitationReview) throws {
    guard let outcome = try outcome(for: request.request, review) else { return }
    let (key, hash) = (review.invitation.key, request.request.hash)
    if request.branch.isAnsweredHere, let file = request.branch.answer,
      let known = try? InvitationAnswer(opening: file, for: hash, with: key)
    {
      // What was admitted stays so: a machine that was removed since finds that in the log.
      if case .admitted = known.outcome { return }
      if case .refused = outcome { return }
    }
    let answer = InvitationAnswer(genesis: try local.membership().genesis.hash, outcome: outcome)
    let file = answer.sealed(for: hash, under: key)
    guard let tip = try push(file, to: request.branch) else { return }
    let branch = request.branch
    let answered = InvitationMail.Branch(
      invitation: branch.invitation, label: branch.label, tip: tip.bytes, request: branch.request, answer: file,
      isAnsweredHere: true)
    try local.store.write { writer in
      let files = try InvitationMail.load(from: writer).branches
      try InvitationMail(files.map { $0 == branch ? answered : $0 }).save(to: writer)
    }
  }

  /// What the answer is; nil if there is none yet.
  private func outcome(
    for request: InvitationRequest, _ review: InvitationReview
  ) throws -> InvitationAnswer.Outcome? {
    let membership = try local.publishedMembership()
    if let refusal = review.refusal(of: request, in: membership.vault) { return .refused(refusal) }
    guard case .used = review.state else { return nil }
    guard let key = try local.deviceFile().transportKeys.last else { return nil }
    return .admitted(
      InvitationAnswer.Admission(
        head: membership.head, rootGeneration: membership.rootGeneration, transportKey: key, to: request))
  }

  /// Pushes an answer, and returns the commit; nil if the machine has given up meanwhile.
  private func push(_ answer: [UInt8], to branch: InvitationMail.Branch) throws -> ObjectID? {
    let place = RemoteLayout.InvitationBranch(branch)
    defer { try? repository.setReference(place.cached, to: nil) }
    let references = try connection.fetch { _ in [place.name: place.cached] }
    guard let tip = references[place.name] else { return nil }
    let path = RemoteLayout.InvitationBranch.answerPath
    let commit = try repository.commit(adding: [(path, answer)], onto: tip, replacesObstacles: true)
    switch try connection.push(commit, to: place.name, mayCreate: false) {
    case .accepted: return commit
    case .rejected where try connection.fetch { _ in [:] }[place.name] == nil: return nil
    case .rejected(let reason):
      throw GitError(
        .rejected, "the host refused the answer: \(reason)", context: url.description,
        recoverySuggestion: "allow pushes to \(place.name), then run: coffer sync")
    }
  }
}

extension RemoteLayout.InvitationBranch {
  fileprivate init(_ known: InvitationMail.Branch) { self.init(invitation: known.invitation, label: known.label) }
}

extension Repository {
  /// Reads a file of an invitation's branch. Returns nil if there is none that can be used.
  func invitationFile(_ path: String, at tip: ObjectID) throws(GitError) -> [UInt8]? {
    try soundBlob(at: path, in: tip, maximumByteCount: Limits.invitationFileByteCount)
  }
}
