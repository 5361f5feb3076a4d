internal import Coffer
internal import CofferAdministration
internal import CofferCrypto
internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault
internal import Hummingbird

/// The steps in which another machine of the owner is added, as with `coffer pair`.
struct PairingPage {
  /// What is next.
  enum Step {
    /// The vault has no remote.
    case place
    /// A line for the other machine is made, or was just made: it is shown once.
    case line(SecretText?)
    /// The owner compares the words of a request. The key is needed to enrol an admin, which no page asks for.
    case request(InvitationApproval.Proposal, lacksVaultKey: Bool)
  }

  let step: Step
  let remote: String?
  /// Whether this machine keeps the vault key, because nobody has written it down.
  let keepsVaultKey: Bool
  let hasPassphrase: Bool
  var failure: String?
  let csrf: String

  static let address = PageAddress("pair")
  static let machines = PageAddress("machines")

  static var link: HTML { linkButton("Add a machine", .machine, to: address) }

  var page: Page {
    var page = Page(title: "Add a machine", place: .machines)
    page.path = [Page.Step(name: "Machines", address: Self.machines)]
    page.lead = "For a machine of your own: it becomes an admin, with every app."
    page.notice = .failure("This did not work.", failure)
    page.content = div(.class("stack")) {
      switch step {
      case .place: place
      case .line(let token): line(token)
      case .request(let proposal, let lacksVaultKey): request(proposal, lacksVaultKey)
      }
      if keepsVaultKey {
        p(.class("hint")) {
          advice(
            "The vault key is not written down yet: if all machines are lost, the remote alone recovers nothing. Show it with: coffer vault-key show"
          )
        }
      }
    }
    return page
  }

  private var place: HTML {
    card("Where the machines meet", id: "place-card") {
      changeForm(Self.address, csrf: csrf, fields: ["step": "place"], .class("stack narrow-form")) {
        field(
          "Host, folder or URL", "place",
          hint:
            "user@host: a machine with ssh and git. A folder: a USB stick or a network drive that both machines reach. Or the URL of a git repository."
        ) { described in
          input(.id("place"), .type("text"), .name("place"), .autocomplete("off"), .required(), described)
        }
        p(.class("hint")) {
          "On a host and in a folder, the repository coffer.git is created. Whoever can write to a folder can run programs as you, because git runs the hooks of a repository in it: use one only if you trust all who can write to it."
        }
        formEnd(submit("Meet there", style: "primary"), cancel: Self.machines)
      }
    }
  }

  private func line(_ token: SecretText?) -> HTML {
    card("Line for the other machine", id: "line") {
      div(.class("stack")) {
        p { "The machines meet at \(code { given(remote ?? "") })." }
        if let token {
          p { advice("On the other machine, run `coffer join` and paste this line. It is shown once.") }
          pre(.class("block"), .tabindex(0), .label("Line")) {
            text(unsafe token.withBytes { unsafe String(decoding: $0, as: UTF8.self) })
          }
          button("look", "Look for the other machine", .sync, style: "primary")
        } else {
          button("line", "Make a line", .key, style: "primary")
          button("look", "Look for a machine that has a line", .sync)
        }
      }
    }
  }

  private func button(_ step: String, _ words: HTML, _ icon: Icon, style: String? = nil) -> HTML {
    changeForm(Self.address, csrf: csrf, fields: ["step": step]) { submit(words, icon, style: style) }
  }

  private func request(_ proposal: InvitationApproval.Proposal, _ lacksVaultKey: Bool) -> HTML {
    card("Does the other machine show these words?", id: "request") {
      div(.class("stack")) {
        facts([
          ("Name", given(proposal.name)), ("Words", code { text(proposal.words) }),
          ("Becomes", proposal.isForAdmin ? "an admin, with every app" : "a member"),
        ])
        if lacksVaultKey {
          p { "Only the vault key makes an admin, and the pages never ask for it. Compare the words in a terminal:" }
          pre(.class("block"), .tabindex(0), .label("Command")) {
            text("coffer device approve \(proposal.invitation.shortText)")
          }
        } else {
          changeForm(Self.address, csrf: csrf, fields: ["step": "enrol", "words": proposal.words], .class("stack")) {
            if hasPassphrase { secretField("Passphrase of this machine", "passphrase", .required()) }
            checkField("The words are the same.", "sure")
            formEnd(submit("Enrol the machine", .machine, style: "primary"), cancel: Self.machines)
          }
        }
        changeForm(Self.address, csrf: csrf, fields: ["step": "refuse", "words": proposal.words], .class("stack")) {
          p(.class("hint")) { "With other words, somebody else has asked with your line." }
          submit("The words differ: cancel the line", .delete, style: "danger")
        }
      }
    }
  }
}

/// The addition of a machine, which is the owner's.
extension Pages {
  func addPairing(to routes: PageRoutes) {
    routes.page("pair", ownerOnly: true) { vault, visit in try Self.pairing(vault, visit).page }
    routes.form("pair", ownerOnly: true) { vault, visit in
      do {
        guard let token = try pair(vault, visit) else {
          // The list has the new machine.
          return .done(visit.form["step"] == "enrol" ? PairingPage.machines : PairingPage.address)
        }
        return .show(try Self.pairing(vault, visit, token: token).page, .ok)
      } catch {
        guard !inspector.isLocked else { throw error }
        let page = try Self.pairing(vault, visit, failure: FailurePage.words(error)).page
        return .show(page, .unprocessableContent)
      }
    }
  }

  /// The page with what is next.
  private static func pairing(
    _ vault: InspectedVault, _ visit: Visit, token: SecretText? = nil, failure: String? = nil
  ) throws -> PairingPage {
    let local = vault.local
    if let error = try local.memberError() { throw error }
    let remote = try local.remote()
    var step = remote == nil ? PairingPage.Step.place : .line(token)
    if token == nil, let proposal = try InvitationApproval(in: local).waitingProposal() {
      step = .request(proposal, lacksVaultKey: proposal.isForAdmin && !local.keepsVaultKey)
    }
    return PairingPage(
      step: step, remote: remote, keepsVaultKey: local.keepsVaultKey, hasPassphrase: try vault.hasPassphrase,
      failure: failure, csrf: visit.csrf)
  }

  /// Carries out the step of a form. Returns the line that it has made; nil for another step.
  private func pair(_ vault: InspectedVault, _ visit: Visit) throws -> SecretText? {
    let (local, publication) = (vault.local, SyncProgram.publication(for: .program))
    switch visit.form["step"] {
    case "place":
      guard let place = visit.form["place"]?.trimmedSpace, try local.remote() == nil else { throw Self.malformed }
      // Every process of the machine sees the arguments of a program.
      guard URLPassword(place) == nil else {
        throw VaultError(
          .invalidArgument, "the URL has a password",
          recoverySuggestion: "leave it out, so that git's credential helper is asked; or use a terminal: coffer pair")
      }
      let url = try SyncProgram.findRepository(place, isCreating: true, for: .program).url
      try SyncProgram.run(["remote", "set", "--", url], for: .program)
      try publication.sync(local.folder)
    case "line":
      let created = try InvitationCreation(in: local).run(
        InvitationCreation.Request(
          isForAdmin: true, applications: [], name: nil, expires: Date().addingTimeInterval(24 * 60 * 60)))
      return try created.pairingLine(to: local.requiredRemote())
    case "look": try publication.sync(local.folder)
    case "enrol":
      let proposal = try shown(in: local, visit)
      guard visit.form["sure"] == "1" else { throw Self.malformed }
      let passphrase = visit.form.filledSecret("passphrase")
      try vault.check(passphrase, attempt: inspector.attempt)
      let source = passphrase.map { given in PassphraseSource { (_) throws(VaultError) in given } } ?? .unavailable
      try InvitationApproval(in: local).publish(proposal, passphrase: source, by: publication) { nil }
    case "refuse":
      try InvitationApproval(in: local).refuse(shown(in: local, visit))
      try publication.sync(local.folder)
    default: throw Self.malformed
    }
    return nil
  }

  /// Returns the request whose words a form has shown.
  private func shown(in local: LocalVault, _ visit: Visit) throws -> InvitationApproval.Proposal {
    guard let proposal = try InvitationApproval(in: local).waitingProposal(), proposal.words == visit.form["words"]
    else {
      throw PageFailure(
        .conflict, "This has changed", "another machine asks now", suggestion: "compare the words again")
    }
    return proposal
  }
}
