internal import CofferFormat
internal import Foundation

/// A search for items of one class.
///
///     ItemQuery<InternetPassword>().matching(.server, "example.com").matching(.account, "jane").limit(1)
///
/// Without a condition it finds every item of the class in the groups searched.
public struct ItemQuery<Item: KeychainItem>: Sendable {
  /// How text is compared.
  public enum Comparison: Sendable {
    /// Equal, whatever the case and the accents: `kSecMatchCaseInsensitive` and `kSecMatchDiacriticInsensitive`.
    case insensitive
    /// Contains the text, whatever the case.
    case contains
    /// Begins with the text, whatever the case.
    case beginsWith
    /// Ends with the text, whatever the case.
    case endsWith
  }

  var search: ItemSearch

  /// - Parameter accessGroup: The access group to look into, by its full name, by `$(AppIdentifierPrefix)` and the rest, or without
  ///   the prefix; all of the app's groups, in their order, where nil.
  public init(in accessGroup: String? = nil) { search = ItemSearch(Item.itemClass, group: accessGroup) }

  /// Items whose attribute is equal to `value`, byte for byte. Searches by account, service, server, label, tag and the like
  /// are answered from an index; by others, the attributes of all items of the group are opened, never their values.
  public func matching<Value>(_ attribute: ItemAttribute<Item, Value>, _ value: Value) -> Self {
    changed { query in
      let wanted = attribute.encode(value).normalised(for: attribute.code.kind)
      if let earlier = query.attributes[attribute.code], earlier.matchBytes != wanted.matchBytes {
        query.conditions.append { _ in false }
      }
      query.attributes[attribute.code] = wanted
    }
  }

  /// Items whose text compares to `text` in a looser way.
  public func matching(_ attribute: ItemAttribute<Item, String>, _ text: String, _ comparison: Comparison) -> Self {
    let code = attribute.code
    return changed { query in
      query.conditions.append { attributes in
        comparison.holds(attributes[code]?.text ?? "", text)
      }
    }
  }

  /// Only items whose synchronizable flag is set, or is not; both without this.
  public func synchronizable(_ flag: Bool) -> Self { changed { $0.synchronizable = .only(flag) } }

  /// Only the item that a reference names.
  public func reference(_ reference: PersistentReference) -> Self {
    changed { query in
      query.reference = reference.identifier
      if reference.itemClass != Item.itemClass { query.conditions.append { _ in false } }
    }
  }

  /// At most `count` items.
  public func limit(_ count: Int) -> Self { changed { $0.limit = max(count, 0) } }

  func condition(_ condition: @escaping @Sendable (ItemAttributes) -> Bool) -> Self {
    changed { $0.conditions.append(condition) }
  }

  private func changed(_ change: (inout ItemSearch) -> Void) -> Self {
    var query = self
    change(&query.search)
    return query
  }
}

extension ItemQuery.Comparison {
  func holds(_ found: String, _ wanted: String) -> Bool {
    let options: String.CompareOptions = [.caseInsensitive, .diacriticInsensitive]
    guard !wanted.isEmpty else { return self != .insensitive || found.isEmpty }
    switch self {
    case .insensitive: return found.compare(wanted, options: options) == .orderedSame
    case .contains: return found.range(of: wanted, options: options) != nil
    case .beginsWith: return found.range(of: wanted, options: options.union(.anchored)) != nil
    case .endsWith: return found.range(of: wanted, options: options.union([.anchored, .backwards])) != nil
    }
  }
}
