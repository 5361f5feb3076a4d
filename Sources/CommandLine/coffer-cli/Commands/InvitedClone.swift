internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferCrypto
internal import CofferFormat
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferTrust
internal import CofferVault

/// `coffer join` and `coffer clone --invite`: asks to be enrolled with an invitation, waits for the answer, and
/// finishes the enrolment. A vault that this machine has already joins the other one.
struct InvitedClone {
  /// What a user gives for a new request.
  struct Invitation {
    let code: InvitationCode
    /// The repository; nil if none is named.
    let url: String?
  }

  /// The repository, in place of that of an earlier run's request; nil to keep it.
  let url: String?
  let remote: RemoteAccessOptions
  let machine: MachineNameOptions
  let protection: ProtectionOptions
  let joining: JoiningOptions
  let wait: WaitingTime
  let json: Bool
  /// Reads or asks for the invitation. Receives the name that an earlier run's request has, and returns nil to go on
  /// with that one.
  let ask: (_ earlier: String?) throws -> Invitation?

  func run() throws {
    let location = try VaultLocation.standard()
    let folder = VaultFolder(location)
    var own: (clone: JoiningClone, join: VaultJoin, passphrase: PassphraseSource)?
    StagingFolder.removeLeftovers(for: location)
    if JoiningClone.isNeeded(at: location) {
      // A run that was killed at its end has left it.
      leaveRequest(in: folder, url.map(Self.withoutPassword))
      let clone = JoiningClone(invited: self, location: location)
      if StagingFolder.joiningFolder(of: location).exists {
        try clone.run()
        return leaveRequest(in: folder, url.map(Self.withoutPassword))
      }
      let passphrase = protection.passphrase.source(of: try LocalVault.open(folder)).rememberingFirst()
      own = (clone, try VaultJoin.begin(in: folder, passphrase: passphrase, asOwner: joining.asOwner), passphrase)
    }
    let staging = try StagingFolder.waiting(for: location, besideVault: own != nil)
    if own != nil { try staging.checkExchange() }
    let (enrolment, source) = try request(in: staging) {
      guard let own else { return nil }
      try own.clone.confirm(own.join.preview(in: nil))
      return try own.clone.keptProtection(of: own.join, own.passphrase)
    }
    let place = url.map(Self.withoutPassword) ?? enrolment.url
    try note("The request of this machine, \(Output.cell(enrolment.name)), has the words: \(enrolment.words)")
    try note("Compare them on the machine that invites: `coffer pair` or `coffer device approve` shows them. Waiting …")
    let answer = try waitForAnswer(enrolment, in: staging.folder, place)
    if let refusal = enrolment.refusal(in: answer) {
      leave(enrolment, in: staging.folder, place)
      staging.discard()
      throw refusal
    }
    let admission = try enrolment.open(answer)
    try download(from: place, into: staging.folder)
    let local = try enrolment.finish(admission)
    try SyncProgram.publication.sync(staging.folder, arguments: remote.timeoutArguments)
    let passphrase = source ?? own?.passphrase ?? protection.passphrase.source(of: local).rememberingFirst()
    let apps = try InvitedEnrolment.installApps(in: local, passphrase: passphrase)
    if let own {
      try own.clone.checkIsAdmin(local)
      let preview = try own.join.preview(in: Vault.open(asOwnerOf: local, passphrase: passphrase))
      // The rest was shown before.
      if preview.groups.contains(where: { !$0.different.isEmpty }) { try own.clone.show(preview) }
      try staging.handOverToJoining(for: location)
      try own.clone.run(passphrase)
      return leaveRequest(in: folder, place)
    }
    try staging.moveIntoPlace()
    leaveRequest(in: folder, place)
    try report(apps, enrolment, VaultStatus.read(from: LocalVault.open(folder)))
  }

  /// Waits for an answer that opens. An attacker with push access can put another file in its place: it is ignored. At
  /// the timeout, returns an answer that does not open if there is one.
  private func waitForAnswer(
    _ enrolment: InvitedEnrolment, in folder: VaultFolder, _ place: String
  ) throws -> [UInt8] {
    let end = ContinuousClock.now + .seconds(wait.seconds)
    var remaining = Int64(wait.seconds)
    var ignored: [String] = []
    while true {
      var options = ["invitation", "join"] + arguments(enrolment, in: folder)
      options += ["--request", Self.base64(enrolment.file), "--wait", String(remaining)]
      options += ignored
      options += ["--", place]
      let answer = [UInt8](try SyncProgram.run(options))
      remaining = (end - ContinuousClock.now).components.seconds
      if enrolment.opens(answer) || remaining <= 0 { return answer }
      if ignored.isEmpty { Terminal.printNote("An answer that does not open is ignored. Waiting for another one …") }
      ignored = ["--ignored", Self.base64(answer)]
      // A host could show two such files in turn.
      sleep(1)
    }
  }

  private static func base64(_ bytes: [UInt8]) -> String { String(decoding: Base64.encode(bytes), as: UTF8.self) }

  /// Returns the request of an earlier run, or a new one, with the source of the passphrase that was chosen for it.
  /// `prepare` is called before a new request is made, and returns the protection that the machine's keys keep.
  private func request(
    in staging: StagingFolder, prepare: () throws -> AdminProtection?
  ) throws -> (InvitedEnrolment, PassphraseSource?) {
    let earlier = try InvitedEnrolment.pending(in: staging.folder)
    let invitation = try ask(earlier?.name)
    if let earlier, invitation.map({ earlier.isOf($0.code) }) ?? true { return (earlier, nil) }
    guard let invitation, let url = invitation.url else {
      throw VaultError(
        .invalidArgument, "no repository is named, and no request was made here with this code",
        recoverySuggestion: "give the repository's URL: coffer clone --invite URL")
    }
    let code = invitation.code
    if earlier != nil { Terminal.printNote("The request that was made here with another code is given up.") }
    let name = machine.chosen
    try VaultCreation.checkDeviceName(name)
    let known = try prepare() ?? protection.protectionWithoutPrompt()
    try staging.empty()
    // Until there is a request, there is nothing to go on with.
    staging.discard()
    try download(from: url, into: staging.folder)
    // An attacker with push access could have created a branch with another vault.
    _ = try InvitedEnrolment.checkVault(in: staging.folder, for: code)
    let chosen = try known ?? protection.protection()
    let enrolment = try InvitedEnrolment.begin(
      in: staging.folder, code: code, url: Self.withoutPassword(url), name: name, protection: chosen)
    staging.keep()
    return (enrolment, chosen.source)
  }

  private static func withoutPassword(_ url: String) -> String { URLPassword(url)?.url ?? url }

  private func download(from url: String, into folder: VaultFolder) throws {
    // A host could show a part of the log now that fits what it has shown before.
    try? removeTree(folder.incoming.path(percentEncoded: false))
    try remote.download(url, into: folder)
  }

  private func arguments(_ enrolment: InvitedEnrolment, in folder: VaultFolder) -> [String] {
    [
      "--into", folder.path, "--invitation", enrolment.invitation.description, "--label", enrolment.label.hex,
    ] + remote.arguments
  }

  /// Forgets the request of a vault that is in its place, and deletes its branch.
  private func leaveRequest(in folder: VaultFolder, _ url: String?) {
    guard let enrolment = try? InvitedEnrolment.pending(in: folder) else { return }
    InvitedEnrolment.forgetRequest(in: folder)
    leave(enrolment, in: folder, url ?? enrolment.url)
  }

  /// Deletes the branch of the request. It is of no use any more, and does no harm if it stays.
  private func leave(_ enrolment: InvitedEnrolment, in folder: VaultFolder, _ url: String) {
    _ = try? SyncProgram.run(
      ["invitation", "leave"] + arguments(enrolment, in: folder) + ["--", url], for: .program)
  }

  /// Prints a line that is meant for people.
  private func note(_ line: String) throws {
    if json { Terminal.printNote(line) } else { try Output.line(line) }
  }

  private func report(
    _ apps: InvitedEnrolment.InstalledApps, _ enrolment: InvitedEnrolment, _ status: VaultStatus
  ) throws {
    guard let own = status.machines.first(where: \.isThisMachine) else { return }
    for error in apps.errors { Terminal.printError(error.description) }
    guard !json else {
      return try Output.json(object: [
        "name": own.name, "machineID": own.id, "isAdmin": own.isAdmin, "apps": apps.installed.map(JSONObject.app),
        "words": enrolment.words, "headPhrase": status.headPhrase,
      ])
    }
    if own.name != enrolment.name { try Output.line("In the vault, this machine is named \(Output.cell(own.name)).") }
    let role = own.isAdmin ? "This machine is an admin" : "This machine is a member"
    try Output.line(
      """
      The vault of team \(status.team) is at \(status.path). \(role), with \(counted(apps.installed.count, "app")) ready.
      Membership log: \(status.logLength) entries, last \(Output.date(status.logTime)).
      Head phrase: \(status.headPhrase)
      """)
  }
}

extension AdminProtection {
  /// The source of the passphrase that was just chosen; none is asked for.
  var source: PassphraseSource {
    switch self {
    case .none: .unavailable
    case .passphrase(let passphrase): PassphraseSource { (_) throws(VaultError) in passphrase }
    }
  }
}

/// The code of an invitation.
struct InvitationCodeOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "With --invite: read the code from a file instead of asking for it.", valueName: "file"),
    completion: .file())
  var inviteCodeFile: String?

  /// Reads the code if a file contains it; nil otherwise.
  func readFile() throws(VaultError) -> InvitationCode? {
    guard let inviteCodeFile else { return nil }
    return try InvitationCode.typed(SecretInput.file(inviteCodeFile, limit: 256, what: "invitation's code"))
  }

  /// Returns the code from the file or the terminal, with the repository; nil to go on with the request of the machine
  /// `continued`.
  func invitation(at url: String?, orContinue continued: String?) throws(VaultError) -> InvitedClone.Invitation? {
    var code = try readFile()
    if code == nil, continued == nil || Terminal.isInput { code = try ask(orContinue: continued) }
    return code.map { InvitedClone.Invitation(code: $0, url: url) }
  }

  /// Asks for the code on the terminal, three times in all if it is mistyped. Returns nil for an empty line, which
  /// continues the request of the machine `continued`, if there is one. Throws `locked` if no terminal exists.
  func ask(orContinue continued: String?) throws(VaultError) -> InvitationCode? {
    let prompt = continued.map { "Invitation code (Return: go on with the request of \(Output.cell($0)))" }
    return try Terminal.askRepeatedly(
      prompt ?? "Invitation code", for: "the invitation's code", otherwise: "give --invite-code-file"
    ) { (text) throws(VaultError) in
      text.isEmpty && continued != nil ? nil : try InvitationCode.typed(text)
    }
  }
}

/// How long a command waits: a number with its unit, `90s`, `15m` or `2h`.
struct WaitingTime: ExpressibleByArgument, Hashable {
  /// One hour.
  static let standard = WaitingTime(seconds: 3_600, text: "1h")

  /// How long a value stays in the clipboard: 45 seconds.
  static let clipboard = WaitingTime(seconds: 45, text: "45s")

  let seconds: Int
  private let text: String

  private init(seconds: Int, text: String) {
    self.seconds = seconds
    self.text = text
  }

  /// Returns nil for another text, and for more than 100 hours.
  init?(argument: String) {
    guard let match = argument.wholeMatch(of: /([0-9]{1,6})([smh])/), let count = Int(match.output.1),
      let unit = ["s": 1, "m": 60, "h": 3_600][String(match.output.2)], count * unit <= 360_000
    else { return nil }
    self.init(seconds: count * unit, text: argument)
  }

  var defaultValueDescription: String { text }
}
