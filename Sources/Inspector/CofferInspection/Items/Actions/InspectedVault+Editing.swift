package import Coffer
package import CofferCrypto
internal import CofferFormat
package import CofferVault

extension InspectedVault {
  /// The largest size of a name that people give an item here, in bytes: service, account, label and the like.
  package static let maximumNameByteCount = 1_024
  /// The largest size of a comment or a description, in bytes.
  package static let maximumCommentByteCount = 65_536

  /// Changes attributes of an item, and its value if a new one is given. `changes` are the new texts of attributes by
  /// their codes, as ``ItemAttributeRow/fieldText``; an empty one removes the attribute. A seed replaces that of the
  /// one-time codes. Returns the same revision if nothing was to be changed.
  ///
  /// Throws `itemChanged` if another version was written since, `invalidArgument` for a text that the attribute cannot
  /// have, `duplicateItem` if another item has the new names, and `locked` also for a new value of an item that an
  /// application password protects. If it throws, nothing has changed.
  @discardableResult
  package func edit(
    _ revision: ItemRevision, _ changes: [String: String], value: SecretText? = nil,
    oneTimePassword: OneTimePassword? = nil
  ) throws(VaultError) -> ItemRevision {
    // A form that is sent as it was shown must neither write a version nor end a conflict.
    if changes.isEmpty, value == nil, oneTimePassword == nil { return revision }
    var bytes = value.map { secret in unsafe secret.withBytes { unsafe Array($0) } }
    defer { bytes?.wipe() }
    return try edit(revision, changes, bytes: bytes, oneTimePassword: oneTimePassword)
  }

  /// Changes attributes of an item, its value, and the seed of its one-time codes if a new one is given. Throws
  /// `locked` for a seed if the value needs a further secret, which would not protect the codes.
  @discardableResult
  func edit(
    _ revision: ItemRevision, _ changes: [String: String], bytes: [UInt8]?, oneTimePassword: OneTimePassword?
  ) throws(VaultError) -> ItemRevision {
    try vault.replace(revision, movingTo: nil) { found, draft in
      try ValueGuard(found.attributes).checkChangeable()
      try Self.apply(changes, to: &draft)
      if changes["pdmn"] != nil { try checkAccessibility(of: draft, replacing: found) }
      if let oneTimePassword {
        let conditions = ValueGuard(found.attributes)
        guard conditions.isOpen else {
          throw VaultError(
            .locked,
            "the value needs \(conditions.conditions.joined(separator: " and ")), which would not protect the codes",
            recoverySuggestion: "store the codes with another item")
        }
        draft.attributes[.oneTimePassword] = .string(oneTimePassword.uri)
      }
      guard let bytes else { return }
      let conditions = ValueGuard(found.attributes)
      guard !conditions.requiresApplicationPassword else {
        throw VaultError(
          .locked, "the value is protected by an application password, which a new value would remove",
          recoverySuggestion: "change it in the app that stored it")
      }
      guard found.itemClass == .genericPassword || found.itemClass == .internetPassword else {
        throw VaultError(
          .invalidArgument, "the value of a certificate or a key cannot be changed",
          recoverySuggestion: "delete the item, and add another one")
      }
      draft.value.wipe()
      draft.value = bytes
    }
  }

  /// Returns the fields of an item as they were when a person saw them, for a form that somebody else's change has
  /// overtaken: only what differs from them was typed. Returns nil if it was another item, or this machine no longer
  /// keeps the version.
  package func fields(
    of reference: ItemReference, seenAs revision: ItemRevision
  ) throws(VaultError) -> [ItemAttributeRow]? {
    guard let head = revision.heads.first else { return nil }
    do throws(VaultError) {
      guard var seen = try vault.storedVersion(head, of: revision.address, keepingValue: true) else { return nil }
      defer { seen.value?.wipe() }
      guard seen.attributes.identifier == reference.identifier else { return nil }
      return ItemAttributeRow.allRows(seen.attributes, of: seen.itemClass, isEditable: true).filter { $0.field != nil }
    } catch {
      guard error.code == .itemNotFound else { throw error }
      return nil
    }
  }

  /// Moves an item to another access group, by its full name or without the team prefix. Its history stays in the old
  /// one. Throws `itemChanged` if another version was written since, and `duplicateItem` if the group has an item with
  /// these names. If it throws, nothing has changed.
  @discardableResult
  package func move(_ revision: ItemRevision, to group: String) throws(VaultError) -> ItemRevision {
    guard try vault.groupID(named: group) != revision.address.group else {
      throw VaultError(
        .invalidArgument, "the item is in this access group already", recoverySuggestion: "choose another group")
    }
    return try vault.replace(revision, movingTo: group) { found, _ in try ValueGuard(found.attributes).checkChangeable()
    }
  }

  /// Moves items as ``move(_:to:)``, all or none.
  package func move(_ revisions: [ItemRevision], to group: String) throws(VaultError) {
    try translatingErrors {
      try vault.transaction { for revision in revisions { try move(revision, to: group) } }
    }
  }

  /// The names of the groups that can be written, in the order in which they are searched.
  package var writableGroups: [String] {
    get throws(VaultError) { try vault.accessGroups.filter(\.isWritable).map(\.name) }
  }

  /// Throws if the accessibility is new, and this machine cannot provide it. As the Keychain API decides.
  func checkAccessibility(of draft: ItemDraft, replacing found: FoundItem?) throws(VaultError) {
    let new = ItemAccessibility(draft.attributes)
    guard new == .whenPasscodeSetThisDeviceOnly, new != found.flatMap({ ItemAccessibility($0.attributes) }),
      vault.ownerPassphrase == nil
    else { return }
    throw VaultError(
      .invalidArgument, "an item that requires a passphrase cannot be stored, because this machine has none",
      recoverySuggestion: "set one with: coffer passphrase set")
  }

  /// Sets attributes of a draft to the texts of a form.
  static func apply(_ changes: [String: String], to draft: inout ItemDraft) throws(VaultError) {
    let rows = ItemAttributeRow.allRows(draft.attributes, of: draft.itemClass, isEditable: true)
    for (code, text) in changes {
      guard let row = rows.first(where: { $0.code == code }), row.field != nil,
        let definition = AttributeDefinition.all(of: draft.itemClass).first(where: { $0.code.name == code })
      else {
        throw VaultError(
          .invalidArgument, "this attribute of the item cannot be changed",
          recoverySuggestion: "change it in the app that stored the item")
      }
      guard let text = definition.changed(row.fieldText, to: text) else { continue }
      draft.attributes[definition.code] = try definition.value(of: text)
    }
  }
}

extension AttributeDefinition {
  /// Whether people write several lines.
  private var hasLines: Bool { code == .comment || code == .itemDescription }

  /// Returns the text that a form sends for an attribute, or nil if nobody has changed it.
  ///
  /// Forms do not return every text as it was: line breaks become CR and LF or, in a field of one line, get lost, and
  /// NUL becomes another character. What only differs in that was not changed by a person. A text that was changed
  /// keeps its kind of line breaks.
  fileprivate func changed(_ old: String, to sent: String) -> String? {
    func scalars(_ text: String, keepsLines: Bool) -> [Unicode.Scalar] {
      text.replacing("\r\n", with: "\n").unicodeScalars.compactMap { scalar in
        switch scalar {
        case "\0": "\u{FFFD}"
        case "\r", "\n": keepsLines ? "\n" : nil
        default: scalar
        }
      }
    }
    let keepsLines = hasLines && sent.unicodeScalars.contains { $0 == "\n" || $0 == "\r" }
    let new = scalars(sent, keepsLines: keepsLines)
    guard new != scalars(old, keepsLines: keepsLines) else { return nil }
    guard hasLines else { return sent }
    let lines = String(String.UnicodeScalarView(scalars(sent, keepsLines: true)))
    // The line ends that the text had before, if they were all the same.
    let hasWindowsLines = old.contains("\r\n") && !old.replacing("\r\n", with: "").contains("\n")
    return hasWindowsLines ? lines.replacing("\n", with: "\r\n") : lines
  }

  /// Returns the value that a text of a form stands for; nil for an empty one, which removes the attribute.
  fileprivate func value(of text: String) throws(VaultError) -> AttributeValue? {
    let limit = hasLines ? InspectedVault.maximumCommentByteCount : InspectedVault.maximumNameByteCount
    guard text.utf8.count <= limit else {
      throw VaultError(
        .invalidArgument, "the attribute \(name) has \(text.utf8.count) bytes",
        recoverySuggestion: "use at most \(limit) bytes")
    }
    guard !text.isEmpty else {
      // Every item has one: without it, nothing would say whether the item leaves this machine.
      guard format != .accessibility else {
        throw VaultError(
          .invalidArgument, "the attribute \(name) cannot be removed", recoverySuggestion: "choose one of its values")
      }
      return nil
    }
    switch format {
    case .number:
      guard let number = Int64(text), number >= 0, code != .port || number <= 65_535 else {
        throw VaultError(
          .invalidArgument, "the attribute \(name) needs a number", recoverySuggestion: "write digits only")
      }
      return .number(number)
    case .flag:
      switch text.lowercased() {
      case "1", "yes": return .number(1)
      case "0", "no": return nil
      default:
        throw VaultError(
          .invalidArgument, "the attribute \(name) is yes or no", recoverySuggestion: "write yes or no")
      }
    case .accessibility, .internetProtocol, .authenticationType:
      guard case .choice(let choices) = field, choices.contains(where: { $0.value == text }) else {
        throw VaultError(
          .invalidArgument, "the attribute \(name) cannot have this value",
          recoverySuggestion: "choose one of its values")
      }
      return .string(text)
    default: return .string(text)
    }
  }
}
