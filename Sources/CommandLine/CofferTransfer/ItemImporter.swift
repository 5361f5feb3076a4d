package import Coffer
internal import CofferFormat
package import CofferInspection
internal import CofferSystem
internal import CofferVault

/// Writes items, and reads back what it has written.
///
/// An item whose names the vault does not have is new; one that is the same there stays. If the vault has another value
/// or other attributes under the names, the rule decides. Items of one source with the same names get numbers in the
/// order of the source. So a second run finds everything as it is, and changes nothing.
package final class ItemImporter {
  /// What happens if the vault has another item with the names.
  package enum Rule: String, Sendable {
    case skip, replace, keepBoth
  }

  /// What has become of an item.
  package enum Outcome: Equatable, Sendable {
    case new, same, changed
    case skipped(String)
  }

  private let vault: Vault?
  private let rule: Rule
  private let isDryRun: Bool
  /// Hashes of the contents that this run has found or written under the names.
  private var taken: [[UInt8]: Int] = [:]

  /// `vault` is nil if there is none yet, which only a dry run can deal with.
  package init(_ vault: Vault?, rule: Rule, isDryRun: Bool) {
    self.vault = vault
    self.rule = rule
    self.isDryRun = isDryRun
  }

  /// Writes items in one transaction, and reads them back after it. Returns what has become of each, and how it is
  /// named now. Throws `integrity` if one reads back differently.
  package func write(_ items: [ImportedItem]) throws -> [(item: ImportedItem, outcome: Outcome)] {
    var results: [(item: ImportedItem, outcome: Outcome)] = []
    let places = taken
    do {
      if let vault, !isDryRun {
        try vault.transaction { for item in items { results.append(try place(item)) } }
      } else {
        for item in items { results.append(try place(item)) }
      }
    } catch {
      taken = places
      throw error
    }
    if !isDryRun {
      for (item, outcome) in results where outcome == .new || outcome == .changed { try verify(item) }
    }
    return results
  }

  private func place(_ item: ImportedItem) throws -> (ImportedItem, Outcome) {
    do throws(VaultError) {
      try Vault.checkLimits(of: item.draft)
    } catch {
      // A name or a value that is too long ends nothing but its own import.
      return (item, .skipped(error.message))
    }
    var candidate = item
    var number = 1
    while true {
      let key = candidate.key
      let contents = Self.hash(of: candidate)
      let found: FoundItem?
      do throws(VaultError) {
        // Without a group, a search would find the items of all groups.
        found =
          try candidate.group == nil ? nil : vault?.find(candidate.search, withValues: true, comparing: true).first
      } catch {
        guard error.code == .integrity else { throw error }
        return (candidate, .skipped("the vault has a damaged item with these names"))
      }
      if let found, candidate.isStored(in: found) {
        taken[key] = contents
        return (candidate, .same)
      }
      if let earlier = taken[key] {
        if earlier == contents, found == nil { return (candidate, .same) }
      } else if found.map({ candidate.isOtherEntry(than: $0) }) != true {
        guard let found else { return (candidate, try add(candidate, key, contents)) }
        switch rule {
        case .skip:
          taken[key] = contents
          return (
            candidate, .skipped("the vault has another item with these names; --replace or --keep-both imports it")
          )
        case .replace:
          taken[key] = contents
          return (candidate, try replace(found, by: candidate))
        case .keepBoth: break
        }
      }
      number += 1
      guard let next = item.numbered(number) else {
        return (candidate, .skipped("the vault or the source has another item with these names"))
      }
      candidate = next
    }
  }

  private func add(_ item: ImportedItem, _ key: [UInt8], _ contents: Int) throws -> Outcome {
    if !isDryRun, let vault {
      do throws(VaultError) {
        _ = try vault.add(item.draft, in: item.group)
      } catch {
        // A number after the account may make it too long.
        guard error.code == .invalidArgument else { throw error }
        return .skipped(error.message)
      }
    }
    taken[key] = contents
    return .new
  }

  private func replace(_ found: FoundItem, by item: ImportedItem) throws -> Outcome {
    guard found.attributes[.accessControl] == nil else {
      return .skipped("the item of the vault is protected, and only its app may replace it")
    }
    if !isDryRun, let vault {
      let count: Int
      do {
        count = try vault.update(item.search, withValues: false, movingTo: nil) { _, draft in
          draft.attributes = draft.attributes.merging(item.draft.attributes)
          draft.value = item.draft.value
        }
      } catch let error as VaultError where error.code == .invalidArgument {
        // With the attributes that the item has already, it may be too long.
        return .skipped(error.message)
      }
      guard count == 1 else {
        throw VaultError(
          .integrity, "\(counted(count, "item")) would be replaced by \(item.name.sanitizedForTerminal())",
          recoverySuggestion: "check the vault with coffer check, and import again")
      }
    }
    return .changed
  }

  private func verify(_ item: ImportedItem) throws(VaultError) {
    guard let found = try vault?.find(item.search, withValues: true, comparing: true).first, item.isStored(in: found)
    else {
      throw VaultError(
        .integrity, "an item reads back differently from what was written: \(item.name.sanitizedForTerminal())",
        recoverySuggestion: "keep the source, check the vault with coffer check, and import again")
    }
  }

  private static func hash(of item: ImportedItem) -> Int {
    var hasher = Hasher()
    hasher.combine(item.draft.attributes)
    hasher.combine(item.draft.value)
    return hasher.finalize()
  }
}

/// An item that `coffer-import` has read, as it will be written.
package struct ImportedItem {
  package private(set) var draft: ItemDraft
  /// The group, as users write it; nil in a dry run, if the default group does not exist yet.
  package let group: String?

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
  package init(moving found: FoundItem, value: [UInt8], to group: String?) {
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

  package var kind: ItemKind { ItemKind(draft.itemClass) }

  /// The names, for people.
  package var name: String {
    let codes: [AttributeCode] = [.service, .server, .account, .label]
    let names = codes.compactMap { draft.attributes.string($0) }.filter { !$0.isEmpty }
    return names.isEmpty ? ItemKind(draft.itemClass).name.lowercased() : names.joined(separator: ", ")
  }

  /// A search for the item that has these names.
  package var search: ItemSearch {
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
