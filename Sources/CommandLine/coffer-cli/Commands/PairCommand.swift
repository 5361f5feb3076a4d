internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferFormat
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct PairCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pair", abstract: "Add another machine of your own: makes a line to paste there, and enrols it.",
    discussion: """
      Chooses the place where the two machines meet, unless the vault has a remote, and syncs. It prints a line for \
      `coffer join` on the other machine, waits until that one asks, shows the words of its request, and enrols it as an \
      admin with every app. The vault key makes an admin: it is asked for, unless this machine still keeps it.

      The place is user@host (any machine with ssh and git, on which a private repository coffer.git is created), a folder \
      that both machines reach (a USB stick, a network drive, in which coffer.git is created), or the URL of a repository. \
      Whoever can write to the folder can run programs as you, because git runs the hooks of a repository in it. \
      Without a place, the drives and hosts that this machine knows are offered.

      The line is a secret until it was used: whoever has it can ask in your place, and shows other words then. It is \
      printed once. If the command is interrupted, run it again: a machine that has asked meanwhile is enrolled, and \
      otherwise there is a new line. For a machine of somebody else, use: coffer device invite --apps

      coffer pair jane@nas.local
      coffer pair /media/jane/STICK
      """)
  @Option(
    help: ArgumentHelp("The name of the new machine in lists. Default: the one that it asks for.", valueName: "name"))
  var name: String?
  @Option(
    help: ArgumentHelp(
      "When the line expires, by this machine's clock: after a number of hours (h), days (d) or weeks (w), or at the beginning of a day.",
      valueName: "24h|2027-03-01"))
  var expires = Expiry.oneDay
  @Option(
    help: ArgumentHelp(
      "How long to wait for the other machine, in seconds (s), minutes (m) or hours (h).", valueName: "time"))
  var wait = WaitingTime.standard
  @Flag(help: "Also install the service that syncs this machine in the background.")
  var service = false
  @Flag(help: "Also show the line as a QR code.")
  var qr = false
  @Flag(name: .shortAndLong, help: "Do not ask whether the words are equal.")
  var yes = false
  @Flag(help: "Print the line as JSON, and do not wait. Approve the request with: coffer device approve")
  var json = false
  @OptionGroup var remote: RemoteAccessOptions
  @OptionGroup var passphrase: PassphraseOptions
  @OptionGroup var vaultKey: VaultKeyOptions
  @OptionGroup var claims: ClaimOptions
  @Argument(help: "A host (user@host), a folder, or the repository's URL or path.")
  var place: String?

  /// Stands for the line until it is printed.
  private static let placeholder = "(token)"
  /// The longest pause between two looks for a request, in seconds.
  private static let longestPause = 10

  func run() throws {
    let local = try LocalVault.open(VaultFolder(.standard()))
    if let error = try local.memberError() { throw error }
    try local.printKeptKeyNote()
    let url = try connect(local)
    try SyncProgram.publication.sync(local.folder, arguments: remote.timeoutArguments)
    if service { SyncService.start() }
    if json {
      try invite(in: local, at: url)
      return
    }
    let made = try request(in: local) == nil ? invite(in: local, at: url) : nil
    let found = try waitForRequest(in: local)
    try approve(found, in: local)
    // The machine may have used the line of an earlier run.
    if let made, made != found.invitation.id,
      let rest = try local.invitationReviews().first(where: { $0.invitation.id == made })
    {
      try? local.cancel(rest)
    }
  }

  /// Returns the URL of the remote, and sets it if the vault has none.
  private func connect(_ local: LocalVault) throws -> String {
    if let present = try local.remote() {
      if let place, try SyncProgram.findRepository(place, isCreating: false).url != present {
        throw VaultError(
          .invalidArgument, "the vault syncs with \(present.sanitizedForTerminal()) already",
          recoverySuggestion: "leave out the place; or change it first, with: coffer remote set URL")
      }
      return present
    }
    let found = try SyncProgram.findRepository(place ?? PairingOffer.read().ask(), isCreating: true)
    _ = try remote.set(found.url)
    let url = try local.requiredRemote()
    Terminal.printNote("The machines meet at \(Output.cell(url)).")
    if let note = found.note { Terminal.printNote(note) }
    return url
  }

  /// Makes an invitation, prints the line with its code, and returns its identifier.
  @discardableResult
  private func invite(in local: LocalVault, at url: String) throws -> InvitationID {
    let created = try InvitationCreation(in: local).run(
      InvitationCreation.Request(
        isForAdmin: true, applications: [], name: name, expires: expires.time(after: Date())))
    let id = created.invitation.id.shortText
    let line = try created.pairingLine(to: url)
    let expiry = created.invitation.expires.date
    guard !json else {
      let object: JSONObject = ["token": Self.placeholder, "invitation": id, "url": url, "expires": expiry]
      try Output.json(object, replacing: Self.placeholder, by: line)
      return created.invitation.id
    }
    try NewSecret.print(
      line, heading: "On the other machine, run `coffer join`, and paste this line",
      explanation: """
        It enrols one machine as an admin with every app, until \(Output.date(expiry)).
        To cancel it: coffer device invite --cancel \(id)
        Waiting for the other machine. After Ctrl-C, `coffer pair` goes on …
        """, isScannable: qr)
    return created.invitation.id
  }

  /// Returns the invitation of an admin with a request that waits for the owner; nil without one.
  private func request(in local: LocalVault) throws(VaultError) -> InvitationReview? {
    try local.invitationReviews().last { $0.state == .requested && $0.invitation.isForAdmin }
  }

  private func waitForRequest(in local: LocalVault) throws -> InvitationReview {
    let end = ContinuousClock.now + .seconds(wait.seconds)
    let known = Set(try burned(in: local))
    var pause = 1
    while true {
      if let found = try request(in: local) { return found }
      guard try Set(burned(in: local)).isSubset(of: known) else {
        throw VaultError(
          .integrity, "two machines have asked with the line, and both are refused",
          recoverySuggestion: "somebody else has the line: find out how it got out, and run `coffer pair` again")
      }
      guard ContinuousClock.now < end else {
        throw VaultError(
          .network, "no machine has asked in this time",
          recoverySuggestion: "run `coffer pair` again, which goes on; the line stays valid until it expires")
      }
      sleep(UInt32(pause))
      pause = min(pause + 1, Self.longestPause)
      do {
        try SyncProgram.publication.sync(local.folder, arguments: remote.timeoutArguments)
      } catch let failure as SyncFailure where failure.exitCode == VaultError.Code.network.exitCode {
        // The program has said why, and the remote may come back.
      }
    }
  }

  /// The invitations with which two machines have asked.
  private func burned(in local: LocalVault) throws(VaultError) -> [InvitationID] {
    try local.invitationReviews().filter { $0.state == .severalRequests }.map(\.invitation.id)
  }

  private func approve(_ review: InvitationReview, in local: LocalVault) throws {
    let approval = RequestApproval(
      local: local, isConfirmed: yes, passphrase: passphrase, vaultKey: vaultKey, allowsLogFork: claims.allowsLogFork)
    let proposal = try approval.approval.proposal(of: review.invitation.id)
    do {
      try approval.confirm(proposal)
    } catch let error as VaultError where error.code == .locked {
      try approval.approval.refuse(proposal)
      // A machine that waits should hear of it.
      try SyncProgram.publication.sync(local.folder, arguments: remote.timeoutArguments)
      throw VaultError(
        .locked, "the machine is not enrolled, and the line is cancelled",
        recoverySuggestion: "if it was not yours, somebody else has seen the line; for a new one, run: coffer pair")
    }
    try approval.run(proposal)
    var output = ReportOptions()
    output.json = false
    try approval.report(proposal, output)
    try local.printKeptKeyNote()
  }
}
