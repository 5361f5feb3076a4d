internal import CofferFormat
internal import CofferSystem

/// A query for items of one class.
///
///     ItemQuery<InternetPassword>().matching(.server, "example.com").matching(.account, "jane").limit(1)
///
/// Without conditions it finds every item of the class in the groups that are searched.
public struct ItemQuery<Item: KeychainItem>: Sendable {
  /// The ways to compare text.
  public enum Comparison: Sendable {
    /// Equal, ignoring case and diacritics: `kSecMatchCaseInsensitive` and `kSecMatchDiacriticInsensitive`.
    case insensitive
    /// Contains the text, ignoring case and diacritics.
    case contains
    /// Begins with the text, ignoring case and diacritics.
    case beginsWith
    /// Ends with the text, ignoring case and diacritics.
    case endsWith
  }

  package var search: ItemSearch

  /// Creates a query without conditions.
  ///
  /// - Parameter accessGroup: The access group to search: its full name, its name with `$(AppIdentifierPrefix)`, or its
  ///   name without a prefix. If nil, all of the app's groups, in order.
  public init(in accessGroup: String? = nil) { search = ItemSearch(Item.itemClass, group: accessGroup) }

  /// Restricts the query to items whose attribute is equal to a value, byte for byte.
  ///
  /// The store has an index of account, service, server, label, tag and other identifying attributes. For attributes
  /// without an index, the attributes of all items of the group are opened, but never their values.
  ///
  /// - Parameters:
  ///   - attribute: The attribute.
  ///   - value: The value to match.
  /// - Returns: The restricted query.
  public func matching<Value>(_ attribute: ItemAttribute<Item, Value>, _ value: Value) -> Self {
    changed { query in
      let wanted = attribute.encode(value).normalised(for: attribute.code.kind)
      if let earlier = query.attributes[attribute.code], earlier.matchBytes != wanted.matchBytes {
        query.conditions.append { _ in false }
      }
      query.attributes[attribute.code] = wanted
    }
  }

  /// Restricts the query to items whose attribute matches a text.
  ///
  /// - Parameters:
  ///   - attribute: The attribute.
  ///   - text: The text to compare with.
  ///   - comparison: How to compare.
  /// - Returns: The restricted query.
  public func matching(_ attribute: ItemAttribute<Item, String>, _ text: String, _ comparison: Comparison) -> Self {
    let code = attribute.code
    let matches = comparison.condition(text)
    return condition { attributes in matches(attributes[code]?.text ?? "") }
  }

  /// Restricts the query to items whose `kSecAttrSynchronizable` is `flag`. Without this condition both are found.
  public func synchronizable(_ flag: Bool) -> Self { changed { $0.synchronizable = .only(flag) } }

  /// Restricts the query to the item that a persistent reference identifies.
  public func reference(_ reference: PersistentReference) -> Self {
    changed { query in
      query.reference = reference.identifier
      if reference.itemClass != Item.itemClass { query.conditions.append { _ in false } }
    }
  }

  /// Limits the number of items that the query finds.
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
  /// Returns a condition on texts. What is searched for is folded once, and not for each text.
  func condition(_ wanted: String) -> @Sendable (String) -> Bool {
    // Characters, so that a letter is not found in half of another one.
    let wanted = Array(wanted.folded())
    return { holds(Array($0.folded()), wanted) }
  }

  private func holds(_ found: [Character], _ wanted: [Character]) -> Bool {
    guard !wanted.isEmpty else { return self != .insensitive || found.isEmpty }
    switch self {
    case .insensitive: return found == wanted
    case .contains: return found.indices.contains { found[$0...].starts(with: wanted) }
    case .beginsWith: return found.starts(with: wanted)
    case .endsWith: return found.suffix(wanted.count) == wanted[...]
    }
  }
}
