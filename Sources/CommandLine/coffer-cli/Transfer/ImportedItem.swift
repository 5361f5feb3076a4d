internal import Coffer
internal import CofferFormat
internal import CofferInspection
internal import CofferSystem
internal import CofferVault

/// An item that `coffer-import` has read, as it will be written.
struct ImportedItem {
  private(set) var draft: ItemDraft
  /// The group, as users write it; nil in a dry run, if the default group does not exist yet.
  let group: String?

  /// What an item may not bring: the vault gives it dates and a reference, and a protection that nobody has agreed to
  /// would lock a value up.
  private static let ownCodes: [AttributeCode] = [.created, .modified, .persistentReference, .accessControl]
  /// What Coffer computes for certificates beside Keychain's attributes.
  private static let certificateCodes: Set<AttributeCode> = [.notBefore, .notAfter, .subjectTexts, .emailAddresses]

  /// The attribute with the `otpauth:` URL of a password that has one-time codes.
  static let oneTimePasswordCode = "totp"
  private static let passwordCodes: Set = [AttributeCode(rawValue: fourCharacterCode(oneTimePasswordCode))]

  /// Reads a line; nil if it is no item of a known class.
  init?(_ line: ImportLine, group: String?) {
    guard let kind = line.itemClass.flatMap(ItemKind.init(argument:)), kind != .identity else { return nil }
    let allowed = kind.itemClass.attributes.union(kind == .certificate ? Self.certificateCodes : Self.passwordCodes)
    var attributes = ItemAttributes()
    for (name, value) in line.attributes ?? [:] {
      guard name.utf8.count == 4 else { return nil }
      let code = AttributeCode(rawValue: fourCharacterCode(name))
      guard allowed.contains(code), !Self.ownCodes.contains(code) else { continue }
      attributes[code] = Self.value(value).normalised(for: code.kind)
    }
    draft = ItemDraft(itemClass: kind.itemClass, attributes: attributes, value: line.bytes)
    self.group = group
  }

  /// A stored item that moves to another group.
  init(moving found: FoundItem, value: [UInt8], to group: String?) {
    var attributes = found.attributes
    for code in Self.ownCodes { attributes[code] = nil }
    draft = ItemDraft(itemClass: found.itemClass, attributes: attributes, value: value)
    self.group = group
  }

  private static func value(_ attribute: ImportLine.Attribute) -> AttributeValue {
    switch attribute {
    case .text(let text): .string(text)
    case .number(let number): .number(number)
    case .data(let bytes): .data(bytes)
    case .date(let date): .date(Timestamp(microseconds: date))
    }
  }

  /// The names, for people.
  var name: String {
    let codes: [AttributeCode] = [.service, .server, .account, .label]
    let names = codes.compactMap { draft.attributes.string($0) }.filter { !$0.isEmpty }
    return names.isEmpty ? ItemKind(draft.itemClass).name.lowercased() : names.joined(separator: ", ")
  }

  /// A search for the item that has these names.
  var search: ItemSearch {
    let key = draft.attributes.only(Set(draft.itemClass.primaryKey)).completingPrimaryKey(of: draft.itemClass)
    return ItemSearch(
      draft.itemClass, attributes: key, synchronizable: .only(draft.attributes.isSynchronizable), group: group)
  }

  /// The names and the group, to compare with those of other items.
  var key: [UInt8] {
    let itemClass = AttributeCode(rawValue: draft.itemClass.rawValue).name
    var key = Array("\(group ?? "")\u{0}\(itemClass)\(draft.attributes.isSynchronizable)".utf8)
    key += draft.itemClass.primaryKey.flatMap { (draft.attributes[$0] ?? .absent($0.kind)).matchBytes + [0xff, 0] }
    return key
  }

  /// The item under other names: with a number after its account. Nil for a class without accounts.
  func numbered(_ number: Int) -> ImportedItem? {
    guard [.genericPassword, .internetPassword].contains(draft.itemClass) else { return nil }
    var copy = self
    let account = draft.attributes.string(.account) ?? ""
    copy.draft.attributes[.account] = .string(account.isEmpty ? "(\(number))" : "\(account) (\(number))")
    return copy
  }

  /// Whether a stored item is a part of another entry of the same source, or another part of the entry.
  func isOtherEntry(than found: FoundItem) -> Bool {
    guard let own = origin(in: draft.attributes), let other = origin(in: found.attributes) else { return false }
    return own.source == other.source && (own.entry, own.part) != (other.entry, other.part)
  }

  /// Takes the one-time code of the same entry as an attribute, so that `coffer otp` finds it under the names of the
  /// password. False if this is no password of an entry, has a code already, or the text is no code that can be
  /// computed: such an item stays by itself.
  mutating func take(oneTimeCode item: ImportedItem) -> Bool {
    guard draft.itemClass == .genericPassword || draft.itemClass == .internetPassword, group == item.group,
      draft.attributes[.oneTimePassword] == nil,
      let own = origin(in: draft.attributes), let other = origin(in: item.draft.attributes), own.part.isEmpty,
      other.part == "one-time code", own.source == other.source, own.entry == other.entry,
      let uri = String(validating: item.draft.value, as: UTF8.self), (try? OneTimePassword(uri: uri)) != nil
    else { return false }
    draft.attributes[.oneTimePassword] = .string(uri)
    return true
  }

  private func origin(in attributes: ItemAttributes) -> EntryOrigin? {
    attributes.string(.comment).flatMap(EntryOrigin.init(comment:))
  }

  /// Whether a stored item has the value, and every attribute that the import sets.
  func isStored(in found: FoundItem) -> Bool {
    found.value == draft.value
      && draft.attributes.values.allSatisfy { code, value in
        guard let stored = found.attributes[code] else { return value.isDefault }
        return stored.matchBytes == value.matchBytes || stored.isDefault && value.isDefault
      }
  }
}
