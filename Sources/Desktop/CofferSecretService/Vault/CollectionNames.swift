/// How the access groups of an app are called as collections.
struct CollectionNames {
  /// The identifier of the app's own collection: that of its default group.
  let own: String
  /// The default group of the app; nil while it is not known.
  var defaultGroup: String?

  init(own: String) { self.own = own }

  /// The label of the app's own collection.
  static let ownLabel = "Coffer"
  /// The identifier of the collection that ends with the service.
  static let session = "session"

  /// Returns the identifier of a group's collection: the name without the team, which says nothing to people.
  func identifier(ofGroup name: String) -> String {
    if name == defaultGroup { return own }
    // Groups of several teams have no team in their names.
    guard !name.hasPrefix("group."), let dot = name.firstIndex(of: ".") else { return name }
    let rest = String(name[name.index(after: dot)...])
    return rest == own || rest == Self.session ? name : rest
  }

  func label(ofGroup name: String) -> String {
    let identifier = identifier(ofGroup: name)
    return identifier == own ? Self.ownLabel : identifier
  }
}
