internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferFormat
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferTrust
internal import CofferVault

struct DeviceInviteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invite", abstract: "Make a one-time code with which a new machine can ask to be enrolled.",
    discussion: """
      Type the code on the new machine, where you run: coffer clone --invite URL

      The code names this vault: the new machine refuses a repository with another one. \
      It posts a request to the repository and shows its words. Here, `coffer device approve` shows the same words: compare \
      them, because whoever saw the code could have asked before you. The code is not the vault key: it is worth nothing \
      without your approval, for one machine only, and not after its expiry. If two machines ask with one code, both are \
      refused.

      With --admin, the new machine becomes an admin, and the approval asks for the vault key: whoever steals this machine \
      must not be able to make itself another admin.
      """)
  @Flag(help: "Make the new machine an admin, with every app.")
  var admin = false
  @Option(
    help: ArgumentHelp(
      "The apps that the new machine gets: full application identifiers, or bundle identifiers, between commas.",
      valueName: "app,…"))
  var apps: String?
  @Option(
    help: ArgumentHelp("The name of the new machine in lists. Default: the one that it asks for.", valueName: "name"))
  var name: String?
  @Option(
    help: ArgumentHelp(
      "When the code expires, by this machine's clock: after a number of hours (h), days (d) or weeks (w), or at the beginning of a day.",
      valueName: "24h|2027-03-01"))
  var expires = Expiry.oneDay
  @Flag(help: "Cancel an invitation instead of making one. Without an identifier, the only one that is open.")
  var cancel = false
  @OptionGroup var output: ReportOptions
  @Argument(
    help: ArgumentHelp("With --cancel: the invitation, see: coffer device list --invitations", valueName: "invitation"))
  var invitation: String?

  /// Stands for the code until it is printed.
  private static let placeholder = "(code)"

  func validate() throws {
    if admin && apps != nil { throw ValidationError("--apps and --admin exclude each other: an admin has every app") }
    if invitation != nil && !cancel { throw ValidationError("name an invitation with --cancel only") }
    if cancel && (admin || apps != nil || name != nil) {
      throw ValidationError("--cancel makes no invitation: it takes no --admin, --apps or --name")
    }
  }

  func run() throws {
    let local = try LocalVault.open(VaultFolder(.standard()))
    guard !cancel else { return try cancel(in: local) }
    var applications: Set<ApplicationID> = []
    for app in (apps ?? "").split(separator: ",") {
      applications.insert(try local.application(named: app.trimmedSpace))
    }
    let created = try InvitationCreation(in: local).run(
      InvitationCreation.Request(
        isForAdmin: admin, applications: applications, name: name, expires: expires.time(after: Date())))
    let invitation = created.invitation
    let command = "coffer clone --invite \(try local.remote()?.shellWord ?? "URL")"
    guard !output.json else {
      let object: JSONObject = [
        "invitation": invitation.id.shortText, "code": Self.placeholder, "isAdmin": admin,
        "apps": invitation.applications.map(JSONObject.app), "name": name, "expires": invitation.expires.date,
        "command": command,
      ]
      return try Output.json(object, replacing: Self.placeholder, by: created.code.text)
    }
    let role =
      admin
      ? "an admin with every app" : "a member with \(counted(applications.count, "app"))"
    try NewSecret.print(
      created.code.text, heading: "The code of the invitation \(invitation.id.shortText)",
      explanation: """
        It enrols one machine as \(role), until \(Output.date(invitation.expires.date)).
        On the new machine, run:

            \(command)

        and type the code. Then approve its request here: coffer device approve \(invitation.id.shortText)
        """, isScannable: true)
    if admin { Terminal.printNote("The approval will ask for the vault key: only that makes an admin.") }
  }

  private func cancel(in local: LocalVault) throws {
    let review = try local.invitation(named: invitation, orOnly: "open invitation") { review in
      [.waiting, .altered, .requested].contains(review.state)
    }
    try local.cancel(review)
    let id = review.invitation.id.shortText
    try output.show(
      ["invitation": id, "state": "cancelled"],
      "The invitation \(id) is cancelled: nobody can be enrolled with its code.")
    // A machine that waits should hear of it.
    if try local.remote() != nil { try SyncProgram.publication.sync(local.folder) }
  }
}

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
  @OptionGroup var output: ReportOptions
  @OptionGroup var passphrase: PassphraseOptions
  @OptionGroup var vaultKey: VaultKeyOptions
  @OptionGroup var claims: ClaimOptions

  func run() throws {
    let local = try LocalVault.open(VaultFolder(.standard()))
    if let error = try local.memberError() { throw error }
    // Brings the request.
    try SyncProgram.publication.sync(local.folder)
    let id = try find(in: local).invitation.id
    let approval = RequestApproval(
      local: local, isConfirmed: yes, passphrase: passphrase, vaultKey: vaultKey, allowsLogFork: claims.allowsLogFork)
    let proposal = try approval.approval.proposal(of: id)
    try approval.confirm(proposal)
    try approval.run(proposal)
    try approval.report(proposal, output)
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
}

/// The approval of a request, with the questions for the owner.
struct RequestApproval {
  let local: LocalVault
  /// Whether the owner has said that the words are equal.
  let isConfirmed: Bool
  let passphrase: PassphraseOptions
  let vaultKey: VaultKeyOptions
  let allowsLogFork: Bool

  var approval: InvitationApproval { InvitationApproval(in: local, allowingLogFork: allowsLogFork) }

  /// Shows the words of a request, and asks whether the new machine shows the same. Throws `locked` if it does not.
  func confirm(_ proposal: InvitationApproval.Proposal) throws {
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
    guard !isConfirmed else {
      for line in lines { Terminal.printNote(line) }
      return
    }
    try Confirmation.ask(after: lines, question: "Does the new machine show exactly these words?")
  }

  /// Enrols the machine. An admin needs the vault key, which is asked for unless this machine still keeps it.
  func run(_ proposal: InvitationApproval.Proposal) throws {
    try local.forgetReplacedVaultKey()
    try approval.publish(proposal, passphrase: passphrase.source(of: local), by: SyncProgram.publication) {
      () throws(VaultError) in
      guard !local.keepsVaultKey || vaultKey.vaultKeyFile != nil else { return nil }
      return try vaultKey.key(of: local, because: VaultKeyOptions.reasonForAdmin)
    }
  }

  /// Prints which machine was enrolled, and whether the answer is on its way.
  func report(_ proposal: InvitationApproval.Proposal, _ output: ReportOptions) throws {
    guard
      let review = try local.invitationReviews().first(where: { $0.invitation.id == proposal.invitation }),
      case .used(let device) = review.state
    else { return }
    let name = try local.publishedMembership().devices[device]?.name ?? proposal.name
    let isAnswered = review.requests.contains { $0.branch.isAnsweredHere }
    if output.json {
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
    return InvitationRows(reviews: reviews, membership: try local.publishedMembership())
  }

  var isEmpty: Bool { reviews.isEmpty }

  /// Prints the invitations.
  func show(_ output: ReportOptions) throws {
    guard output.json || !isEmpty else { return try Output.line("This machine has made no invitation.") }
    try output.show(reviews, ["INVITATION", "FOR", "EXPIRES", "STATE"], fields: object(of:)) { review in
      [
        review.invitation.id.shortText, purpose(of: review.invitation),
        Output.date(review.invitation.expires.date), words(for: review),
      ]
    }
    guard !output.json else { return }
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
