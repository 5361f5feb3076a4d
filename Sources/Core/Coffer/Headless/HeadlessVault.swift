internal import CofferCrypto
internal import CofferFormat
internal import CofferKeys
internal import CofferStore
internal import CofferSystem
package import CofferTrust
package import CofferVault

/// A vault that a headless credential opens: read from a repository into memory, by a machine that keeps nothing.
package struct HeadlessVault: Sendable {
  /// The variable of the environment that names the repository.
  package static let repositoryVariable = "COFFER_REPOSITORY"

  /// The variable of the environment with a head phrase of the membership log that the repository must have reached.
  package static let headPhraseVariable = "COFFER_HEAD_PHRASE"

  /// The vault without keys that open items.
  package let local: LocalVault
  private let file: SecretFile
  private let credential: HeadlessCredential
  private let device: Device
  private let problems: [String]
  /// Whether the service manager has given the credential to this unit, and to nobody else.
  private let isForUnit: Bool
  /// The end of the log that the repository shows.
  private let head: LogPosition

  /// Opens the vault of the credential that `COFFER_CREDENTIAL_FILE` names, from the repository that
  /// `COFFER_REPOSITORY` names. If `COFFER_HEAD_PHRASE` is set, the membership log must have reached the entry with
  /// this head phrase. Returns nil if no credential is named. Throws `invalidArgument` if no repository is named, or
  /// for a malformed head phrase.
  package static func openNamed() throws(VaultError) -> HeadlessVault? {
    guard let path = VaultLocation.headlessCredential() else { return nil }
    guard let repository = CurrentProcess.variable(repositoryVariable), !repository.isEmpty else {
      throw VaultError(
        .invalidArgument, "this process has a headless credential, and \(repositoryVariable) is not set",
        recoverySuggestion: "set \(repositoryVariable) to the URL or path of the vault's repository")
    }
    guard URLPassword(repository) == nil else {
      // It would be an argument of the program that reads the repository, which every user can see.
      throw VaultError(
        .invalidArgument, "the URL in \(repositoryVariable) has a password",
        recoverySuggestion: "name a file with the password in COFFER_HTTP_PASSWORD_FILE, or put it into ~/.netrc")
    }
    return try open(credentialAt: path, repository: repository, headPhrase: headPhrase())
  }

  private static func headPhrase() throws(VaultError) -> Phrase? {
    guard let text = CurrentProcess.variable(headPhraseVariable), !text.isEmpty else { return nil }
    do throws(Phrase.ParseError) {
      return try Phrase(parsing: text)
    } catch {
      throw VaultError(
        .invalidArgument, "\(headPhraseVariable) is not a head phrase",
        recoverySuggestion: "set it to the six words that `coffer status` prints on a machine of the vault")
    }
  }

  /// Opens the vault of a repository, whose membership log must have an entry with the head phrase. Throws `readOnly`
  /// for a credential that others can read; `integrity` for one that is damaged or of another vault, and for a
  /// repository that is damaged or older than the credential; `notEntitled` for a credential that was revoked;
  /// `network` if there is no repository or it cannot be reached.
  package static func open(
    credentialAt path: String, repository: String, headPhrase: Phrase? = nil
  ) throws(VaultError) -> HeadlessVault {
    let file = SecretFile(
      path: path, isProvided: true, name: "the headless credential",
      recoverySuggestion:
        "write the whole file to it that the credential was created in, or create another one with: \(createCommand)")
    let credential = try file.read { try HeadlessCredential(secretText: $0) }
    let (store, problems) = try RepositoryReader.read(repository, with: credential.device)
    let local = try LocalVault.open(.inMemory, store: store, device: credential.device)
    let chain = try translatingErrors { try store.read { try local.branches(in: $0).chain } }
    let seen = credential.seen
    guard try local.contains(seen) else {
      let what =
        chain.head.sequence < seen.sequence
        ? "ends at entry \(chain.head.sequence), and the credential has seen entry \(seen.sequence)"
        : "has another entry \(seen.sequence) than the credential has seen"
      throw VaultError(
        .integrity, "the membership log at \(repository.sanitizedForTerminal()) \(what)",
        recoverySuggestion: "update the copy of the repository; if this goes on, it was set back to an older state")
    }
    if let headPhrase, try !local.contains(headPhrase) {
      throw VaultError(
        .integrity,
        "the membership log at \(repository.sanitizedForTerminal()), whose head phrase is \(chain.headPhrase), has no entry with the head phrase \(headPhrase)",
        recoverySuggestion:
          "update the copy of the repository; if this goes on, it was set back to an older state, or shows another vault's log"
      )
    }
    let id = DeviceID(vault: chain.vault, keys: credential.device.keys.publicKeys)
    if let error = chain.revocationError(of: id) { throw error }
    guard let device = chain.devices[id], device.isReadOnly else {
      throw VaultError(
        .integrity, "the membership log names no read-only machine with the keys of the credential",
        recoverySuggestion: "create a credential with: \(createCommand)")
    }
    return HeadlessVault(
      local: local, file: file, credential: credential, device: device, problems: problems,
      isForUnit: path == VaultLocation.unitCredential()
        && VaultLocation.isOfSystemUnit(path),
      head: chain.head)
  }

  package static let createCommand = "coffer device create"

  /// The state of the vault that the repository shows, a line: only the user can tell whether the host withholds a
  /// later one.
  package var state: String {
    "read the vault up to entry \(head.sequence) of its membership log; head phrase: \(head.phrase)"
  }

  /// What the user of the credential should know, a line each.
  package var warnings: [String] {
    let time = Timestamp.now
    guard let expires = device.expires, device.isExpired(at: time) else { return problems }
    let name = device.name.sanitizedForTerminal()
    let warning =
      "the credential \(name) expired on \(expires.date.localText): it opens nothing that is sealed under later keys; "
      + "create a new one with `\(Self.createCommand)`, and remove this one with: coffer device revoke \(name.shellWord)"
    // What it cannot open looks damaged to it.
    guard !problems.isEmpty else { return [warning] }
    return [warning, "\(counted(problems.count, "object")) of the repository cannot be read with it"]
  }

  /// Opens the vault, unlocked, as one of the credential's apps, by its full identifier or bundle identifier. Throws
  /// `invalidArgument` if the credential has several apps and none is named, and `notEntitled` for an app that is not
  /// in the credential, or was removed.
  package func vault(ofApp name: String?) throws(VaultError) -> Vault {
    let known = credential.apps.map(\.applicationID)
    guard let name else {
      guard let only = known.first, known.count == 1 else {
        throw VaultError(
          .invalidArgument, "the credential \(device.name.sanitizedForTerminal()) has several apps",
          recoverySuggestion: "choose one with --app: \(known.joined(separator: ", "))")
      }
      return try openForProgram(only)
    }
    let found = known.first { $0 == name || ApplicationID($0)?.bundleID.description == name }
    return try openForProgram(found ?? name)
  }

  private func openForProgram(_ application: String) throws(VaultError) -> Vault {
    let vault = try open(application)
    vault.keepValuesInDeniedTree()
    return vault
  }

  /// Opens the vault, unlocked, as the app that the entitlements describe. Throws `notEntitled` for an app that is not
  /// in the credential, is not registered, or claims more than its registration.
  func vault(presenting entitlements: EntitlementsSource) throws(VaultError) -> Vault {
    let document = try entitlements.document()
    let application = try local.registeredApplication(
      of: document, bundleIdentifier: entitlements.bundleIdentifier(for: document), in: local.publishedMembership())
    return try open(application.description, receiptKey: document.receiptKey)
  }

  private func open(_ application: String, receiptKey: VerifyingKey? = nil) throws(VaultError) -> Vault {
    guard let app = credential.apps.first(where: { $0.applicationID == application }) else {
      throw VaultError(
        .notEntitled,
        "the credential \(device.name.sanitizedForTerminal()) is not for \(application.sanitizedForTerminal()); it is for: "
          + credential.apps.map { $0.applicationID.sanitizedForTerminal() }.joined(separator: ", "),
        recoverySuggestion: "create one for this app with: \(Self.createCommand)")
    }
    let membership = try local.publishedMembership()
    let id = AuthorID(vault: membership.vault, keys: app.keys.publicKeys)
    guard let author = membership.authors[id], author.cut == nil, author.device == device.id,
      author.application?.description == application
    else {
      if let error = membership.removalError(ofAppNamed: application) { throw error }
      throw try local.explaining(
        VaultError(
          .notEntitled, "\(application) was removed from the credential \(device.name.sanitizedForTerminal())",
          recoverySuggestion: "create a new one with: \(Self.createCommand)"))
    }
    if !isForUnit, let app = author.application.flatMap({ membership.apps[$0] }) {
      do throws(VaultError) {
        try membership.checkAllowsFile(for: app)
      } catch {
        throw VaultError(
          error.code, error.message,
          recoverySuggestion: "let systemd give the credential to the unit: LoadCredentialEncrypted=coffer")
      }
    }
    let file = file
    let vault = Vault(local: local, id: membership.vault, author: author, receiptKey: receiptKey) {
      (_) throws(VaultError) in
      // Read the file each time: keys in the closure would survive a lock.
      let current = try file.read { try HeadlessCredential(secretText: $0) }
      guard let app = current.apps.first(where: { AuthorID(vault: membership.vault, keys: $0.keys.publicKeys) == id })
      else {
        throw VaultError(
          .notEntitled, "the headless credential was replaced since the vault was opened",
          recoverySuggestion: "open the vault again")
      }
      return app.keys
    }
    vault.unlock(with: HeldKeys(app.keys, of: vault.author.id))
    return vault
  }
}

extension LocalVault {
  /// Opens a vault to look at it: that of a location or, if none is named, the one of the headless credential in the
  /// environment or the user's own. It has no keys that open items. `warn` receives what the user of a headless
  /// credential should know, a line each.
  package static func openForReading(
    at location: VaultLocation? = nil, warn: (String) -> Void = { _ in }
  ) throws(VaultError) -> LocalVault {
    if location == nil, let headless = try HeadlessVault.openNamed() {
      ([headless.state] + headless.warnings).forEach(warn)
      return headless.local
    }
    return try open(.at(location))
  }
}

extension LocalVault {
  /// The error for a key of a group that was not sealed to an author because its headless credential had expired; nil
  /// for any other author.
  func expiryError(of author: AuthorID, _ group: AccessGroupName) throws(VaultError) -> VaultError? {
    let membership = try publishedMembership()
    guard let machine = membership.authors[author]?.device, let expires = membership.devices[machine]?.expires else {
      return nil
    }
    let name = membership.name(of: machine)
    return VaultError(
      .notEntitled,
      "a newer key of \(group) is not sealed to the credential \(name), which expired on \(expires.date.localText)",
      recoverySuggestion: "create a new one with: \(HeadlessVault.createCommand)")
  }
}
