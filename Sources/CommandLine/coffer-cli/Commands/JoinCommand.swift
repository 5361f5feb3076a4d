internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferCrypto
internal import CofferFormat
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct JoinCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "join", abstract: "Enrol this machine with the line that `coffer pair` prints on another one.",
    discussion: """
      Asks for the line, or reads it from standard input: as an argument, other users of this machine could read it, and \
      the shell would keep it. Shows the words of this machine's request, waits until the owner has compared them on the \
      other machine, and finishes. Then it installs the service that syncs in the background.

      A vault that this machine has already, such as one that an app's first launch has created, joins the other one: what \
      it brings is shown first, and --yes answers the question. It stays in use until everything is in the other one.

      If it is interrupted, run it again: it goes on with the same request.
      """)
  @Flag(help: "Do not install the service that syncs in the background.")
  var noService = false
  @Option(
    help: ArgumentHelp(
      "How long to wait for the approval, in seconds (s), minutes (m) or hours (h).", valueName: "time"))
  var wait = WaitingTime.standard
  @Flag(help: "Print JSON.")
  var json = false
  @OptionGroup var joining: JoiningOptions
  @OptionGroup var remote: RemoteAccessOptions
  @OptionGroup var machine: MachineNameOptions
  @OptionGroup var protection: ProtectionOptions
  @Argument(
    help:
      "Where this machine finds the repository, if it is elsewhere than for the other one: a host, a folder, or a URL or path."
  )
  var place: String?

  private static let what = "the line of `coffer pair`"

  func run() throws {
    if let place, PairingToken.isMeant(by: place) {
      CurrentProcess.hideInArguments(place)
      throw VaultError(
        .invalidArgument, "the line is a secret, and as an argument, others can read it; nothing was sent",
        recoverySuggestion:
          "get a new line with `coffer pair` on the other machine; then run `coffer join` alone here, and paste it")
    }
    let url = try place.map(Self.find)
    try InvitedClone(
      url: url, remote: remote, machine: machine, protection: protection, joining: joining, wait: wait, json: json
    ) { earlier in
      guard let token = try readToken(orContinue: earlier) else { return nil }
      return InvitedClone.Invitation(code: token.code, url: try url ?? Self.address(in: token))
    }.run()
    if !noService { SyncService.start() }
  }

  /// Reads the line. Returns nil for an empty one, which continues the request of the machine `continued`.
  private func readToken(orContinue continued: String?) throws(VaultError) -> PairingToken? {
    guard Terminal.isInput else {
      var bytes = [UInt8](try SecretInput.contents(of: "-", what: "line", limit: PairingToken.maximumByteCount))
      return try Self.token(SecretText(moving: &bytes), orContinue: continued)
    }
    let prompt = continued.map { " (Return: go on with the request of \(Output.cell($0)))" } ?? ""
    return try Terminal.askRepeatedly(
      "Line of `coffer pair`\(prompt)", for: Self.what, otherwise: "give it on standard input"
    ) { (text) throws(VaultError) in try Self.token(text, orContinue: continued) }
  }

  private static func token(
    _ text: SecretText, orContinue continued: String?
  ) throws(VaultError) -> PairingToken? {
    let isBlank = unsafe text.withBytes { bytes in
      unsafe bytes.allSatisfy { " \t\r\n".utf8.contains($0) }
    }
    if isBlank, continued != nil { return nil }
    do throws(PairingToken.ParseError) {
      return try PairingToken(parsing: text)
    } catch {
      throw VaultError(
        .authenticationFailed,
        error == .mistyped ? "the line is mistyped: a checksum does not match" : "this is not a line of `coffer pair`",
        recoverySuggestion:
          "copy the whole line, from \(PairingToken.prefix) to its end; with a code of `coffer device invite`, run: coffer clone --invite URL"
      )
    }
  }

  /// Returns the address of a token. Throws `invalidArgument` for the path of a folder that this machine does not have.
  private static func address(in token: PairingToken) throws -> String {
    guard token.address.hasPrefix("/") else { return token.address }
    guard isAbsent(token.address) else { return try find(token.address) }
    throw VaultError(
      .invalidArgument, "the machines meet at \(Output.cell(token.address)), which this machine does not have",
      recoverySuggestion: "plug in or mount the drive; if its path is another one here, run: coffer join FOLDER")
  }

  /// Returns the URL of a place's repository, and prints the note about the place.
  private static func find(_ place: String) throws -> String {
    let found = try SyncProgram.findRepository(place, isCreating: false)
    if let note = found.note { Terminal.printNote(note) }
    return found.url
  }
}
