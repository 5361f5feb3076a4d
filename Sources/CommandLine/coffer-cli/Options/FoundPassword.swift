internal import Coffer
internal import CofferFormat
internal import CofferInspection
internal import CofferOneTimeCodes
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

/// A stored password of one of the two classes.
struct FoundPassword {
  /// The full name of its access group.
  let group: String
  let created: Date
  let modified: Date
  let writer: ItemWriter
  let hasConflict: Bool
  private let identity: PersistentReference
  private let item: any PasswordItem

  init(_ found: StoredItem<some PasswordItem>) {
    group = found.accessGroup
    created = found.created
    modified = found.modified
    writer = found.writer
    hasConflict = found.hasConflict
    identity = found.reference
    item = found.item
  }

  /// Leaves out what git has stored beside a login of the website: names stand for the login.
  static func preferringLogins(_ found: [FoundPassword]) -> [FoundPassword] {
    found.filter { one in
      !one.isOfGit || !found.contains { !$0.isOfGit && $0.group == one.group && $0.account == one.account }
    }
  }

  private var isOfGit: Bool {
    (item as? InternetPassword)?.securityDomain?.hasPrefix(GitPlace.domainPrefix) == true
  }

  /// Returns the passwords of both classes, those of each class oldest first, and errors of damaged ones. `place` is a
  /// service or a server, and `limit` the number of passwords of each class.
  static func list(
    in vault: Vault, group: String?, place: String? = nil, account: String? = nil, limit: Int? = nil
  ) throws(VaultError) -> (passwords: [FoundPassword], damaged: [VaultError]) {
    var (generic, web) = (ItemQuery<GenericPassword>(in: group), ItemQuery<InternetPassword>(in: group))
    if let place { (generic, web) = (generic.matching(.service, place), web.matching(.server, place)) }
    if let account { (generic, web) = (generic.matching(.account, account), web.matching(.account, account)) }
    if let limit { (generic, web) = (generic.limit(limit), web.limit(limit)) }
    let (first, second) = (try vault.list(generic), try vault.list(web))
    return (first.items.map { Self($0) } + second.items.map { Self($0) }, first.damaged + second.damaged)
  }

  // What few commands show is computed when it is asked for: a list has thousands of passwords.

  var kind: PasswordKind { item is InternetPassword ? .internet : .generic }

  /// The service or the server.
  var place: String { (item as? InternetPassword)?.server ?? (item as? GenericPassword)?.service ?? "" }

  var account: String { item.account }

  /// The attributes that tell it from other items of its group. Those of apps need not be text.
  var primaryKey: ItemAttributes { ItemSearch.primaryKey(of: item) }

  var label: String? { item.label }

  /// What tells internet passwords of one account apart: "IMAPS, port 993"; nil if there is nothing.
  var detail: String? { (item as? InternetPassword)?.detail }

  /// The reference by which commands name it.
  var reference: String { ItemReference(identity)?.path ?? "" }

  /// The seed of the account's one-time codes; nil if there is none.
  var oneTimePassword: OneTimePassword? { item.oneTimePassword }

  /// Whether there is a seed, also one that this version cannot read.
  var hasOneTimeCodes: Bool { item._fields.attributes[.oneTimePassword] != nil }

  /// The reference by which files and other commands name the password; nil if service and account are empty.
  var secretReference: SecretReference? {
    place.isEmpty && account.isEmpty ? nil : SecretReference(group: group, service: place, account: account)
  }

  /// Whether the attributes that are part of a password's primary key, apart from its names, are equal to those of
  /// `texts`, by code. What is not in `texts` may be anything.
  func isIdentified(by texts: [String: String]) -> Bool {
    let attributes = item._fields.attributes.values
    return texts.allSatisfy { code, text in
      guard ["sdmn", "ptcl", "atyp", "port", "path"].contains(code) else { return true }
      return (attributes.first { $0.key.name == code }?.value.text ?? "") == text
    }
  }

  /// Returns the value; nil if the item was deleted in the meantime.
  func value(in vault: Vault) throws(VaultError) -> Data? { try vault.value(for: item, in: group) }

  /// Returns the seed of the one-time codes: its own, or the value if that is an address of a seed, as in a store of
  /// pass, and needs no further secret. Throws `itemNotFound` if there is none.
  func seed(in vault: Vault, app: String?) throws(VaultError) -> OneTimePassword {
    // It is an attribute, and secret all the same.
    try vault.checkValuesMayLeave()
    if let oneTimePassword { return oneTimePassword }
    guard !hasOneTimeCodes, let seed = try seedInValue(in: vault) else { throw withoutOneTimeCodes(app: app) }
    return seed
  }

  private func seedInValue(in vault: Vault) throws(VaultError) -> OneTimePassword? {
    guard item.valueGuard.isOpen, let value = try value(in: vault), let text = String(validating: value, as: UTF8.self)
    else {
      return nil
    }
    return try? OneTimePassword(uri: text.hasSuffix("\n") ? String(text.dropLast()) : text)
  }

  /// Deletes the item.
  func delete(from vault: Vault) throws(VaultError) { try vault.delete(item, in: group) }

  /// Replaces the value and, unless it is nil, the label. Returns the versions that this sets aside because they were
  /// in conflict, in words. Throws `itemChanged` if the item was deleted in the meantime.
  func replace(value: Data, label: String?, in vault: Vault) throws -> [String] {
    try item.replace(value: value, label: label, group, in: vault)
  }

  /// Sets the seed of the one-time codes, or removes it. Throws `itemChanged` if the item was deleted in the meantime,
  /// and the errors of ``checkOneTimePassword(replacing:)``, also for what has changed since the item was found.
  func setOneTimePassword(_ password: OneTimePassword?, replacing: Bool, in vault: Vault) throws(VaultError) {
    try item.setOneTimePassword(password, replacing: replacing, group, in: vault)
  }

  /// Throws `duplicateItem` if the item has a seed that is not to be replaced, and `locked` if the value needs a
  /// further secret, which would not protect the codes.
  func checkOneTimePassword(replacing: Bool) throws(VaultError) { try item.checkOneTimePassword(replacing: replacing) }
}

extension PasswordItem {
  fileprivate var valueGuard: ValueGuard { ValueGuard(self) }

  fileprivate func checkOneTimePassword(replacing: Bool) throws(VaultError) {
    guard replacing || _fields.attributes[.oneTimePassword] == nil else {
      throw VaultError(
        .duplicateItem, "the password has one-time codes; nothing was changed",
        recoverySuggestion: "to replace their seed, add --replace")
    }
    guard valueGuard.isOpen else {
      let conditions = valueGuard.conditions.joined(separator: " and ")
      throw VaultError(
        .locked, "the value needs \(conditions), which would not protect the codes",
        recoverySuggestion: "add them to another item")
    }
  }

  fileprivate func setOneTimePassword(
    _ password: OneTimePassword?, replacing: Bool, _ group: String, in vault: Vault
  ) throws(VaultError) {
    let isFound = try vault.update(self, in: group) { (new) throws(VaultError) in
      if password != nil { try new.checkOneTimePassword(replacing: replacing) }
      new.oneTimePassword = password
    }
    guard isFound else { throw VaultError.deletedMeanwhile }
  }

  fileprivate func replace(value: Data, label: String?, _ group: String, in vault: Vault) throws -> [String] {
    var superseded: [ItemVersion<Self>] = []
    try vault.transaction {
      superseded = try vault.versionsInConflict(of: self, in: group)
      let isFound = try vault.update(self, in: group, value: value) { (new) throws(VaultError) in
        if let label { new.label = label }
      }
      guard isFound else { throw VaultError.deletedMeanwhile }
    }
    return superseded.map(VersionText.words)
  }
}

extension VaultError {
  fileprivate static var deletedMeanwhile: VaultError {
    VaultError(
      .itemChanged, "the item was deleted in the meantime; nothing was changed",
      recoverySuggestion: "list the items with: coffer list")
  }
}

extension FoundPassword {
  /// The error for an item without a seed.
  func withoutOneTimeCodes(app: String?) -> VaultError {
    VaultError(
      .itemNotFound, "\(Output.cell(title)) has no one-time codes",
      recoverySuggestion: "add them with: \(NextCommand.line("otp add", [place, account], app: app, group: group))")
  }

  /// The names in one line.
  var title: String { account.isEmpty ? place : "\(place), \(account)" }

  /// The code at this moment, with what it was computed from, in the output of `otp --json`.
  func json(_ code: OneTimeCode, of seed: OneTimePassword) -> JSONObject {
    let object: JSONObject = [
      "code": code.text, "secondsLeft": code.secondsLeft(), "validFrom": code.validFrom, "validUntil": code.validUntil,
      "period": seed.period, "digitCount": seed.digitCount, "algorithm": seed.algorithm.rawValue,
    ]
    return object.including(json())
  }
}

extension ItemRow {
  /// The item in the output of `--json`, without its value. Names are as they are stored.
  var json: JSONObject {
    let object: JSONObject = [
      "reference": reference.path, "created": created, "modified": modified, "expires": expires,
      "hasConflict": hasConflict,
    ]
    return object.including(names).including(JSONObject.writer(writer))
  }
}

extension ItemDetails {
  /// The item with all attributes, as `coffer show --json` prints it: the same keys as in a list, and more.
  var json: JSONObject {
    let object: JSONObject = [
      "class": row.kind.argument, "group": row.group, "access": isWritable ? AccessGraph.Access.readWrite : .read,
      "attributes": attributes.map { ["code": $0.code, "name": $0.name, "text": $0.text] as JSONObject },
      "written": written, "versionCount": versionCount,
    ]
    return object.including(row.json)
  }
}

extension FoundPassword {
  /// The password in the output of `list`, and with its value in that of `get`.
  func json(value: Data? = nil) -> JSONObject {
    let object: JSONObject = [
      "class": kind.rawValue, "reference": reference, "group": group, "service": kind == .generic ? place : nil,
      "server": kind == .internet ? place : nil, "account": account, "label": label, "created": created,
      "modified": modified, "hasConflict": hasConflict, "hasOneTimeCodes": hasOneTimeCodes ? true : nil,
      "secretReference": secretReference?.text,
    ]
    return object.including(JSONObject.writer(writer)).including(JSONObject.value(value))
  }
}

// The parts that the output of several commands has, each with the same keys everywhere.

extension JSONObject {
  /// An app in a list of apps.
  static func app(_ id: some CustomStringConvertible) -> JSONObject { ["id": id.description] }

  /// An access group in a list of groups, with what may be done in it.
  static func group(_ name: String, _ access: AccessGraph.Access? = nil) -> JSONObject {
    ["group": name, "access": access]
  }

  /// Who wrote a version; nil for an unknown author.
  static func writer(_ writer: ItemWriter?) -> JSONObject {
    ["writerApp": writer?.application, "writerMachine": writer?.device]
  }

  /// The value of an item: as text or, if it is no text, in base64. Without keys for nil.
  static func value(_ value: Data?) -> JSONObject {
    let text = value.flatMap { String(validating: $0, as: UTF8.self) }
    return ["value": text, "valueBase64": text == nil ? value?.base64EncodedString() : nil]
  }
}
