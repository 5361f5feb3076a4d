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
  @Flag(help: "Print JSON.")
  var json = false
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
    guard !json else {
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
    if json {
      try Output.json(object: ["invitation": id, "state": "cancelled"])
    } else {
      try Output.line("The invitation \(id) is cancelled: nobody can be enrolled with its code.")
    }
    // A machine that waits should hear of it.
    if try local.remote() != nil { try SyncProgram.sync(local.folder) }
  }
}
