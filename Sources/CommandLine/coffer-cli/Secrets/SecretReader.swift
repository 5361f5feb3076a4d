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

/// Reads what references name: with the rights of an app or of the owner, and with one passphrase for all of them.
struct SecretReader {
  /// A reference, and where it was written.
  struct Request {
    let reference: SecretReference
    /// For errors; nil if the command line has nothing else.
    let place: String?

    fileprivate func translating<Result>(_ body: () throws(VaultError) -> Result) throws(VaultError) -> Result {
      try VaultError.at(place, body)
    }
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
        found[request.reference] = try request.translating { () throws(VaultError) in
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
    let found = try choice(of: reference).find(in: vault, group: reference.group)
    guard found.count < 2 else { throw PasswordChoice.ambiguous(found) }
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
  /// Returns an attribute as text, and for `otp` the one-time code of this moment. Throws `invalidArgument` for an attribute
  /// that the item has not.
  func attribute(named name: String, in vault: Vault) throws(VaultError) -> String {
    if name == "otp" { return try seed(in: vault, app: nil).code().text }
    guard let known = ItemReference.references(argument: reference).first else {
      throw VaultError(
        .itemNotFound, "the item has no reference by which its attributes are found",
        recoverySuggestion: "show them with: \(SiblingProgram.inspectCommand)")
    }
    return try InspectedVault(vault: vault, local: vault.local).details(of: known, in: group).attribute(named: name)
  }
}
