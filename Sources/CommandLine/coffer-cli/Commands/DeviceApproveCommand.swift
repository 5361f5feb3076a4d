internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferFormat
internal import CofferSystem
internal import CofferTerminal
internal import CofferTrust
internal import CofferVault

struct DeviceApproveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "approve", abstract: "Enrol a machine that asks with an invitation of this machine.",
    discussion: """
      Shows the words of the request. If the new machine shows other words, say no: somebody else has asked with your code. \
      Then cancel the invitation with: coffer device invite --cancel
      """)
  @Argument(
    help: ArgumentHelp(
      "The invitation, see: coffer device list. By default, the only one with a request.", valueName: "invitation"))
  var invitation: String?
  @Flag(help: "Do not ask whether the words are equal.")
  var yes = false
  @Flag(help: "Print JSON.")
  var json = false
  @OptionGroup var passphrase: PassphraseOptions
  @OptionGroup var vaultKey: VaultKeyOptions
  @OptionGroup var claims: ClaimOptions

  func run() throws {
    let local = try LocalVault.open(VaultFolder(.standard()))
    if let error = try local.memberError() { throw error }
    // Brings the request.
    try SyncProgram.sync(local.folder)
    let id = try find(in: local).invitation.id
    let approval = InvitationApproval(in: local, despiteClaims: claims.despiteClaims)
    let proposal = try approval.proposal(of: id)
    try confirm(proposal)
    if proposal.isForAdmin {
      let key = try vaultKey.key(of: local, because: VaultKeyOptions.reasonForAdmin)
      try SyncProgram.withMembershipChange(local) { (_) throws(VaultError) in
        try approval.run(proposal, vaultKey: key)
      }
    } else {
      let source = passphrase.source(of: local).rememberingFirst()
      try SyncProgram.withMembershipChange(local) { (_) throws(VaultError) in
        try approval.run(proposal, passphrase: source)
      }
    }
    try report(proposal, in: local)
  }

  private func find(in local: LocalVault) throws -> InvitationReview {
    let reviews = try local.invitationReviews()
    let hasRequest = reviews.contains { $0.state == .requested }
    return try local.invitation(named: invitation, orOnly: "request that waits for approval") { review in
      switch review.state {
      case .requested: true
      // Its error says what happened.
      case .altered: !hasRequest
      case .severalRequests: !hasRequest && !review.requests.isEmpty
      case .waiting, .used, .cancelled, .expired: false
      }
    }
  }

  private func confirm(_ proposal: InvitationApproval.Proposal) throws {
    let asked =
      proposal.name == proposal.requestedName ? "" : " (it asks for the name \(Output.cell(proposal.requestedName)))"
    let apps = proposal.applications.map { $0.bundleID.description }.joined(separator: ", ")
    let lines = [
      "The machine \(Output.cell(proposal.name))\(asked) asks to be enrolled with the invitation \(proposal.invitation.shortText).",
      proposal.isForAdmin
        ? "It becomes an admin, with every app: \(apps.isEmpty ? "none yet" : apps)"
        : "It becomes a member, with the apps: \(apps.isEmpty ? "none yet" : apps)",
      "The words of its request: \(proposal.words)",
    ]
    guard !yes else {
      for line in lines { Terminal.printNote(line) }
      return
    }
    try Confirmation.ask(after: lines, question: "Does the new machine show exactly these words?")
  }

  private func report(_ proposal: InvitationApproval.Proposal, in local: LocalVault) throws {
    guard
      let review = try local.invitationReviews().first(where: { $0.invitation.id == proposal.invitation }),
      case .used(let device) = review.state
    else { return }
    let name = try local.settledMembership().devices[device]?.name ?? proposal.name
    let isAnswered = review.requests.contains { $0.branch.isAnsweredHere }
    if json {
      try Output.json(object: [
        "invitation": proposal.invitation.shortText, "name": name, "machineID": device.description,
        "isAdmin": proposal.isForAdmin, "apps": proposal.applications.map(JSONObject.app), "words": proposal.words,
        "isAnswered": isAnswered,
      ])
    } else {
      let role = proposal.isForAdmin ? "an admin" : "a member"
      try Output.line(
        "\(Output.cell(name)) is \(role) with \(counted(proposal.applications.count, "app")), and finishes by itself.")
    }
    if !isAnswered { Terminal.printNote("The answer has not reached the repository yet; run: coffer sync") }
  }
}
