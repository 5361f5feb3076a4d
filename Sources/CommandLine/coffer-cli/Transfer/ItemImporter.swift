internal import Coffer
internal import CofferFormat
internal import CofferSystem
internal import CofferVault

/// Writes items, and reads back what it has written.
///
/// An item whose names the vault does not have is new; one that is the same there stays. If the vault has another value or
/// other attributes under the names, the rule decides. Items of one source with the same names get numbers in the order of
/// the source. So a second run finds everything as it is, and changes nothing.
final class ItemImporter {
  /// What happens if the vault has another item with the names.
  enum Rule {
    case skip, replace, keepBoth
  }

  /// What has become of an item.
  enum Outcome: Equatable {
    case new, same, changed
    case skipped(String)
  }

  private let vault: Vault?
  private let rule: Rule
  private let isDryRun: Bool
  /// Hashes of the contents that this run has found or written under the names.
  private var taken: [[UInt8]: Int] = [:]

  /// `vault` is nil if there is none yet, which only a dry run can deal with.
  init(_ vault: Vault?, rule: Rule, isDryRun: Bool) {
    self.vault = vault
    self.rule = rule
    self.isDryRun = isDryRun
  }

  /// Writes items in one transaction, and reads them back after it. Returns what has become of each, and how it is named
  /// now. Throws `integrity` if one reads back differently.
  func write(_ items: [ImportedItem]) throws -> [(item: ImportedItem, outcome: Outcome)] {
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
