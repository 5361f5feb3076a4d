internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferInspection
internal import CofferOneTimeCodes
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferTrust
internal import CofferVault

struct ReadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "read", abstract: "Print what a reference names.",
    discussion: """
      A reference is coffer://GROUP/SERVICE/ACCOUNT, or coffer://GROUP/SERVICE/ACCOUNT#attribute for an attribute. GROUP may \
      be empty, which means all groups. Characters other than letters, digits and -._~!$&'()*+,;=:@ are percent-encoded. \
      `coffer list --references` prints the references of all passwords.

      The value is written to standard output unchanged. On a terminal a newline follows, and characters that could control \
      the terminal are shown as escapes.
      """)
  @Argument(
    help: ArgumentHelp("The reference.", valueName: "reference"), completion: .custom(VaultCompletion.references))
  var text: String
  @OptionGroup var references: ReferenceOptions
  @Flag(help: "Write the value unchanged on a terminal too.")
  var raw = false
  @OptionGroup var actor: ActorOptions
  @Flag(help: "Print JSON: the item with its value, or with the attribute as its text.")
  var json = false

  func validate() throws {
    if raw && json { throw ValidationError("--raw and --json exclude each other") }
  }

  func run() throws {
    let reference = try references.readMap().reference(text)
    let reader = SecretReader(actor)
    guard json else {
      let data = try reader.read([SecretReader.Request(reference: reference, place: nil)])
      return try TerminalValue.show(data[0], isRaw: raw)
    }
    guard let attribute = reference.attribute else {
      let (item, value) = try reader.item(of: reference)
      return try Output.json(item.json(value: value))
    }
    let text = try reader.read([SecretReader.Request(reference: reference, place: nil)])[0]
    let plain = SecretReference(group: reference.group, service: reference.service, account: reference.account)
    let object: JSONObject = ["attribute": attribute, "text": String(decoding: text, as: UTF8.self)]
    try Output.json(object.including(reader.item(of: plain).item.json()))
  }
}

/// Reads what references name: with the rights of an app or of the owner, and with one passphrase for all of them.
struct SecretReader {
  /// A reference, and where it was written.
  struct Request {
    let reference: SecretReference
    /// For errors; nil if the command line has nothing else.
    let place: String?
  }

  private let actor: ActorOptions
  private let purpose: KeyPurpose

  /// Creates a reader of what is shown or, to use, of what a program gets that is started with it.
  init(_ actor: ActorOptions, to purpose: KeyPurpose = .show) {
    self.actor = actor
    self.purpose = purpose
  }

  /// Returns the values or attributes that references name, in their order. Throws the error of the first that names
  /// nothing.
  func read(_ requests: [Request]) throws(VaultError) -> [Data] {
    var found: [SecretReference: Data] = [:]
    if !requests.isEmpty {
      let vault = try open(for: requests)
      for request in requests where found[request.reference] == nil {
        found[request.reference] = try VaultError.at(request.place) { () throws(VaultError) in
          guard let data = try Self.data(of: request.reference, in: vault) else {
            throw notFound(request.reference, in: vault)
          }
          return data
        }
      }
    }
    return requests.map { found[$0.reference] ?? Data() }
  }

  /// Returns the password that a reference names, and its value.
  func item(of reference: SecretReference) throws(VaultError) -> (item: FoundPassword, value: Data) {
    let (item, vault) = try password(of: reference)
    guard let value = try item.value(in: vault) else { throw notFound(reference, in: vault) }
    return (item, value)
  }

  /// Returns the password that a reference names, without opening its value, and the vault.
  func password(of reference: SecretReference) throws(VaultError) -> (item: FoundPassword, vault: Vault) {
    let vault = try open(for: [Request(reference: reference, place: nil)])
    guard let item = try Self.found(reference, in: vault) else { throw notFound(reference, in: vault) }
    return (item, vault)
  }

  private func open(for requests: [Request]) throws(VaultError) -> Vault {
    let vault = try actor.open(for: use(of: requests), to: purpose)
    // A program gets them, and what it prints is masked where values are not to be shown.
    if purpose == .use { vault.releaseValues() }
    return vault
  }

  /// Groups that are named one by one: a person may be asked for each of the others.
  private func use(of requests: [Request]) -> GroupUse {
    let groups = requests.map(\.reference.group)
    let named = Set(groups.compactMap(\.self))
    return groups.contains(nil) ? .reading(nil) : .readingEach(named.sorted())
  }

  private static func choice(of reference: SecretReference) -> PasswordChoice {
    PasswordChoice.naming(reference.service, reference.account)
  }

  /// Returns nil if there is no such password.
  private static func found(_ reference: SecretReference, in vault: Vault) throws(VaultError) -> FoundPassword? {
    let found = FoundPassword.preferringLogins(try choice(of: reference).find(in: vault, group: reference.group))
    let advice = "give one an account of its own with `coffer edit --reference IDENTIFIER --account NAME`; they are"
    guard found.count < 2 else { throw PasswordChoice.ambiguous(found, advice) }
    return found.first
  }

  private static func data(of reference: SecretReference, in vault: Vault) throws(VaultError) -> Data? {
    guard let attribute = reference.attribute else {
      // The usual case, by the item's identifier: no list is searched.
      if let value = try vault.value(for: choice(of: reference).genericPassword, in: reference.group) { return value }
      return try found(reference, in: vault)?.value(in: vault)
    }
    return try found(reference, in: vault).map { item throws(VaultError) in
      Data(try item.attribute(named: attribute, in: vault).utf8)
    }
  }

  private func notFound(_ reference: SecretReference, in vault: Vault) -> VaultError {
    var group = GroupOption()
    group.group = reference.group
    return Self.choice(of: reference).notFound(in: vault, group: group, as: actor)
  }
}

extension FoundPassword {
  /// Returns an attribute as text, and for `otp` the one-time code of this moment. Throws `invalidArgument` for an
  /// attribute that the item has not.
  func attribute(named name: String, in vault: Vault) throws(VaultError) -> String {
    if name == "otp" { return try seed(in: vault, app: nil).code().text }
    guard let known = ItemReference.references(argument: reference).first else {
      throw VaultError(
        .itemNotFound, "the item has no reference by which its attributes are found",
        recoverySuggestion: "show them with: \(SiblingProgram.inspectCommand)")
    }
    return try InspectedVault(vault: vault, local: vault.local)
      .details(of: known, in: group, matching: primaryKey).attribute(named: name)
  }
}

/// How references of other programs are read.
struct ReferenceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A file that says what references of 1Password stand for here: op://VAULT/ITEM/FIELD coffer://… in each line.",
      valueName: "file"),
    completion: .file())
  var map: String?

  /// Reads the map, if there is one.
  func readMap() throws(VaultError) -> ReferenceMap {
    try map.map { path throws(VaultError) in try ReferenceMap.read(path) } ?? .empty
  }
}

/// What references of 1Password stand for here, so that its templates and files can be used as they are.
struct ReferenceMap {
  static let foreignScheme = "op://"

  private let references: [String: SecretReference]
  private let path: String?

  /// A map without references.
  static let empty = ReferenceMap(references: [:], path: nil)

  private init(references: [String: SecretReference], path: String?) {
    self.references = references
    self.path = path
  }

  /// Reads a file with a reference of 1Password and one of Coffer in each line; `#` begins a comment.
  static func read(_ path: String) throws(VaultError) -> ReferenceMap {
    let lines = try TextLine.read(path, what: "map")
    var references: [String: SecretReference] = [:]
    for line in lines {
      // The name of a vault or an item may have spaces.
      guard let start = line.text.ranges(of: " \(SecretReference.scheme)").last,
        line.text.hasPrefix(foreignScheme)
      else {
        throw line.error("this is not a line of a map", recoverySuggestion: "write: op://VAULT/ITEM/FIELD coffer://…")
      }
      let foreign = line.text[..<start.lowerBound].trimmedSpace
      let reference = try VaultError.at(line.place) { () throws(VaultError) in
        try SecretReference(String(line.text[start.lowerBound...].dropFirst()))
      }
      guard references.updateValue(reference, forKey: foreign) == nil else {
        throw line.error("\(foreign.sanitizedForTerminal()) is in the map twice", recoverySuggestion: "remove one line")
      }
    }
    return ReferenceMap(references: references, path: path)
  }

  /// Whether a text begins as a reference does.
  static func isReference(_ text: some StringProtocol) -> Bool {
    text.hasPrefix(SecretReference.scheme) || text.hasPrefix(foreignScheme)
  }

  /// Returns where the first reference in a text begins, unless it is the end of another word, such as `shop://`.
  static func firstReference(in bytes: ArraySlice<UInt8>) -> Int? {
    var isInWord = false
    for place in bytes.indices {
      let byte = bytes[place]
      if !isInWord, byte == UInt8(ascii: "o") || byte == UInt8(ascii: "c") {
        let rest = bytes[place...]
        if rest.starts(with: foreignScheme.utf8) || rest.starts(with: SecretReference.scheme.utf8) { return place }
      }
      isInWord = wordBytes.contains(byte)
    }
    return nil
  }

  /// What the scheme of a URL consists of (RFC 3986), and `_`.
  private static let wordBytes = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-._".utf8)

  /// Returns the reference that a text is or stands for.
  func reference(_ text: String) throws(VaultError) -> SecretReference {
    guard text.hasPrefix(Self.foreignScheme) else { return try SecretReference(text) }
    if let reference = references[text] { return reference }
    let name = text.sanitizedForTerminal()
    throw VaultError(
      .invalidArgument, "the reference \(name) of 1Password stands for no item here",
      recoverySuggestion: path.map { "add a line to \($0.sanitizedForTerminal()): \(name) coffer://…" }
        ?? "say what it stands for in a file, and name that with --map: \(name) coffer://…")
  }
}
