internal import Coffer
internal import CofferAgent
internal import CofferCrypto
internal import CofferFormat
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferTrust
internal import CofferVault

/// One run of a command of `security` that finds, adds or deletes a password.
struct SecurityRun {
  let command: SecurityPasswordCommand
  let arguments: SecurityArguments

  /// What ends a command, with the exit code.
  private enum Failure: Error {
    case vault(VaultError)
    case status(Int32)
  }

  /// Does what the command says. Returns the exit code: Apple's error number modulo 256.
  func run() -> Int32 {
    do throws(Failure) {
      switch command.kind {
      case .generic: try run(genericPassword())
      case .internet: try run(internetPassword())
      }
      return 0
    } catch {
      switch error {
      case .status(let status): return status
      case .vault(let error): return report(error)
      }
    }
  }

  private func run<Item: PasswordItem>(_ item: Item) throws(Failure) {
    switch command.verb {
    case .find: try find(item)
    case .add: try add(item)
    case .delete: try delete(item)
    }
  }

  // MARK: The commands

  private func find<Item: PasswordItem>(_ item: Item) throws(Failure) {
    let (vault, found) = try search(item)
    try translating { () throws(VaultError) in
      var value: Data?
      if arguments.printsPassword || arguments.showsPassword {
        value = try vault.value(for: found.item, in: found.accessGroup)
        guard value != nil else { throw Self.notFound }
      }
      if arguments.printsPassword {
        return try Output.line(SecurityListing.password(value ?? Data()))
      }
      try Output.line(SecurityListing.lines(of: found, in: vault.local.folder.path).joined(separator: "\n"))
      if let value { StandardError.line("password: \(SecurityListing.buffer(value))") }
    }
  }

  private func delete<Item: PasswordItem>(_ item: Item) throws(Failure) {
    let (vault, found) = try search(item)
    try translating { () throws(VaultError) in
      try Output.line(SecurityListing.lines(of: found, in: vault.local.folder.path).joined(separator: "\n"))
      try vault.delete(found.item, in: found.accessGroup)
    }
    StandardError.line("password has been deleted.")
  }

  private func add<Item: PasswordItem>(_ item: Item) throws(Failure) {
    if arguments.hasAccessList {
      StandardError.line("security: -A and -T have no effect here: access groups decide which apps read an item")
    }
    // Before a password is asked for.
    let (vault, destination) = try translating { () throws(VaultError) -> (Vault, String?) in
      let group = Self.groups(arguments.keychains)[0]
      let vault = try actor.open(for: .writing(group), to: .use)
      let destination = if let group { group } else { try vault.defaultAccessGroup }
      return (vault, destination)
    }
    let value = try arguments.asksForPassword ? askPassword() : arguments.password
    try translating { () throws(VaultError) in
      if arguments.updates, let found = try first(identifying: item, in: destination, vault) {
        let change: (inout Item) throws(VaultError) -> Void = { (new) throws(VaultError) in
          new._fields.attributes = new._fields.attributes.merging(item._fields.attributes)
        }
        if let value {
          try vault.update(found.item, in: destination, value: value, change)
        } else {
          try vault.update(found.item, in: destination, change)
        }
        return
      }
      try vault.add(value ?? [], for: completed(item), in: destination)
    }
  }

  // MARK: Finding

  /// Returns the first item that has all given attributes. As on macOS, account and service name a generic password
  /// alone.
  private func search<Item: PasswordItem>(_ item: Item) throws(Failure) -> (Vault, StoredItem<Item>) {
    var attributes = item._fields.attributes
    let names = attributes.only([.account, .service])
    if command.kind == .generic, names.values.count == 2 { attributes = names }
    for group in Self.groups(arguments.keychains) {
      let found = try translating { () throws(VaultError) -> (Vault, StoredItem<Item>)? in
        let use: GroupUse = command.verb == .find ? .reading(group) : .changing(group)
        let purpose: KeyPurpose = command.verb == .find ? .show : .use
        guard
          let vault = try group == nil
            ? actor.openDefault(for: use, to: purpose) : actor.open(for: use, to: purpose)
        else { return nil }
        let searched: String? = if let group { group } else { try vault.defaultAccessGroup }
        return try Self.first(ItemQuery<Item>(in: searched), attributes, vault).map { (vault, $0) }
      }
      if let found { return found }
    }
    throw .vault(Self.notFound)
  }

  /// Returns the oldest item of a query that has all attributes. Throws `integrity` if only damaged ones are found.
  private static func first<Item: PasswordItem>(
    _ query: ItemQuery<Item>, _ attributes: ItemAttributes, _ vault: Vault
  ) throws(VaultError) -> StoredItem<Item>? {
    var query = query
    query.search.attributes = attributes
    let list = try vault.list(query)
    if list.items.isEmpty, let error = list.damaged.first { throw error }
    return list.items.first
  }

  /// Returns the item that an addition replaces: the first with those of the given attributes that are part of the
  /// primary key. What tells internet passwords apart and is not given may be anything, except that another
  /// authentication than the default has to be given.
  private func first<Item: PasswordItem>(
    identifying item: Item, in group: String?, _ vault: Vault
  ) throws(VaultError) -> StoredItem<Item>? {
    let attributes = item._fields.attributes.only([
      .account, .service, .server, .securityDomain, .path, .port, .protocol, .authenticationType,
    ])
    var query = ItemQuery<Item>(in: group).synchronizable(false)
    if attributes[.authenticationType] == nil {
      query.search.conditions.append { found in
        (found[.authenticationType]?.text ?? "dflt") == "dflt"
      }
    }
    return try Self.first(query, attributes, vault)
  }

  /// The access groups that names of keychains stand for. The user's own keychain is the vault: nil.
  private static func groups(_ keychains: [String]) -> [String?] {
    let names = keychains.map { name -> String? in
      let last = name.split(separator: "/").last.map(String.init) ?? name
      return ["login", "login.keychain", "login.keychain-db"].contains(last) ? nil : name
    }
    return names.isEmpty ? [nil] : names
  }

  private var actor: ActorOptions { .acting(as: nil) }

  // MARK: Attributes

  private func genericPassword() throws(Failure) -> GenericPassword {
    var item = try common(GenericPassword(_fields: _ItemFields()))
    if let service = arguments.texts["s"] { item.service = service }
    if let generic = arguments.texts["G"] { item.generic = Data(generic.utf8) }
    return item
  }

  private func internetPassword() throws(Failure) -> InternetPassword {
    var item = try common(InternetPassword(_fields: _ItemFields()))
    if let server = arguments.texts["s"] { item.server = server }
    if let domain = arguments.texts["d"] { item.securityDomain = domain }
    if let path = arguments.texts["p"] { item.path = path }
    // As atoi: only the digits at the beginning count, what is no number is 0, and 0 is no port.
    let digits = arguments.texts["P"]?.prefix { ("0"..."9").contains($0) }
    if let port = digits.flatMap({ UInt16($0) }), port > 0 { item.port = Int(port) }
    if let code = try code("r") { item.protocol = InternetProtocol(rawValue: code) }
    if let code = try code("t") { item.authenticationType = InternetAuthenticationType(rawValue: code) }
    return item
  }

  private func common<Item: PasswordItem>(_ new: Item) throws(Failure) -> Item {
    var item = new
    if let account = arguments.texts["a"] { item.account = account }
    if let kind = arguments.texts["D"] { item.itemDescription = kind }
    if let comment = arguments.texts["j"] { item.comment = comment }
    if let creator = try code("c") { item.creator = Self.number(creator) }
    if let type = try code("C") { item.type = Self.number(type) }
    if let label = arguments.texts["l"] ?? (command.verb == .add ? arguments.texts["s"] : nil) { item.label = label }
    return item
  }

  /// Returns the item with what a new one has if no option says something else.
  private func completed<Item: PasswordItem>(_ item: Item) -> Item {
    guard var web = item as? InternetPassword, web.authenticationType == nil else { return item }
    web.authenticationType = .default
    return web as? Item ?? item
  }

  /// Returns the text of an option that has four characters.
  private func code(_ letter: Character) throws(Failure) -> String? {
    guard let text = arguments.texts[letter] else { return nil }
    guard text.utf8.count == 4 else {
      StandardError.line("Error: four-character types must be exactly 4 characters long.")
      if text.utf8.count == 3 { StandardError.line("(Try \"\(text) \" instead of \"\(text)\")") }
      throw .status(1)
    }
    return text
  }

  private static func number(_ code: String) -> Int { code.utf8.reduce(0) { $0 << 8 | Int($1) } }

  // MARK: Passwords

  /// Asks for the password of a new item, three times at most until it is typed twice; without a terminal, reads the
  /// lines of standard input.
  private func askPassword() throws(Failure) -> [UInt8] {
    for _ in 0..<3 {
      let first = try typed("password data for new item")
      let second = try typed("retype password for new item")
      if first == second { return first }
      StandardError.line("passwords don't match")
    }
    throw .status(1)
  }

  private func typed(_ prompt: String) throws(Failure) -> [UInt8] {
    do throws(VaultError) {
      if Terminal.canAsk {
        let text = try Terminal.askHidden(prompt, for: "the password", otherwise: "give it with -X")
        return unsafe text.withBytes { unsafe Array($0) }
      }
      if let line = try SecurityInput.line() { return line }
    } catch {
      StandardError.line("security: \(error.description)")
    }
    throw .status(1)
  }

  // MARK: Errors

  private static let notFound = VaultError(
    .itemNotFound, "there is no such item", recoverySuggestion: "list the items with: coffer list")

  private func translating<Result>(_ body: () throws(VaultError) -> Result) throws(Failure) -> Result {
    do throws(VaultError) {
      return try body()
    } catch {
      throw .vault(error)
    }
  }

  /// Prints an error in Apple's words, with what Coffer knows about it where they say less. Returns the exit code.
  private func report(_ error: VaultError) -> Int32 {
    let function =
      switch (command.verb, command.kind) {
      case (.add, .generic): "SecKeychainItemCreateFromContent (\(arguments.keychains.first ?? "<default>"))"
      case (.add, .internet): "SecKeychainAddInternetPassword \(arguments.keychains.first ?? "<NULL>")"
      case (.find, _), (.delete, _): "SecKeychainSearchCopyNext"
      }
    let words: String? =
      switch error.code {
      case .itemNotFound: "The specified item could not be found in the keychain."
      case .duplicateItem: "The specified item already exists in the keychain."
      case .locked: "User interaction is not allowed. (\(error.description))"
      case .authenticationFailed: "The user name or passphrase you entered is not correct."
      case .authenticationCancelled, .cancelled: "User canceled the operation."
      default: nil
      }
    StandardError.line("security: \(function.sanitizedForTerminal(limit: .max)): \(words ?? error.description)")
    let status = Int32(UInt8(truncatingIfNeeded: error.osStatus))
    return status == 0 ? 1 : status
  }
}
