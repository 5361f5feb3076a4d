internal import CofferInspection
internal import CofferSystem

/// The address of a page of the inspector: a path of encoded parts, a query and a fragment, and never another host.
struct PageAddress: Sendable, Equatable {
  private let parts: [String]
  private var query: [(name: String, value: String)] = []
  /// The parameters, as hidden fields of a form repeat them.
  var parameters: [(name: String, value: String)] { query }
  private var fragment: String?
  private var isHere = false

  /// Creates the address of a page from the parts of its path, as they are before encoding. None gives the overview.
  init(_ parts: String...) { self.parts = parts }

  private init(parts: [String]) { self.parts = parts }

  /// The address of a page or an action below this one.
  func appending(_ parts: String...) -> PageAddress { PageAddress(parts: self.parts + parts) }

  /// The address with another parameter, which is left out if it is empty.
  func with(_ name: String, _ value: String?) -> PageAddress {
    guard let value, !value.isEmpty else { return self }
    var result = self
    result.query.append((name, value))
    return result
  }

  /// The address of an element of the page that contains the link.
  static func here(_ id: String) -> PageAddress {
    var result = PageAddress(parts: [])
    result.fragment = id
    result.isHere = true
    return result
  }

  /// The address of the element with an id.
  func at(_ id: String) -> PageAddress {
    var result = self
    result.fragment = id
    return result
  }

  /// The address as a link contains it. It begins with one slash, so that a browser takes it for a path of this host.
  var text: String {
    var text = isHere ? "" : "/" + parts.map { PercentEscapes.encode($0) }.joined(separator: "/")
    if !query.isEmpty {
      text +=
        "?"
        + query.map { "\(PercentEscapes.encode($0.name))=\(PercentEscapes.encode($0.value))" }.joined(separator: "&")
    }
    if let fragment { text += "#" + PercentEscapes.encode(fragment) }
    return text
  }

  static func == (one: PageAddress, other: PageAddress) -> Bool { one.text == other.text }
}

/// What a form has done, as the address of the next page says it. The words are fixed: an address cannot make a page
/// say anything else.
enum Done: String, Sendable {
  case saved, moved, deleted, undone, restored, kept, removed, adopted, dismissed, added, passphrase

  /// Reads what was done from an address, by its decoded parameters. `csrf` is the token for the form that undoes it.
  /// A deletion of a list is undone there.
  static func notice(_ parameter: (String) -> String?, csrf: String, list: ListPlace? = nil) -> Notice? {
    guard let done = parameter("done").flatMap({ Done(rawValue: $0) }) else { return nil }
    let count = parameter("count").flatMap { Int($0) } ?? 1
    switch done {
    case .saved: return Notice(kind: .good, title: "The item was saved.")
    case .moved:
      return Notice(kind: .good, title: text("\(counted(count, "item was", "items were")) moved to this group."))
    case .restored: return Notice(kind: .good, title: "The version was restored and is the current one.")
    case .kept: return Notice(kind: .good, title: "The conflict is resolved. The other versions stay in the history.")
    case .adopted:
      return Notice(kind: .good, title: "The version was adopted and is the current one, under your signature.")
    case .dismissed:
      return Notice(kind: .good, title: text("\(counted(count, "item is", "items are")) dismissed."))
    case .added: return Notice(kind: .good, title: "The item was stored.")
    case .passphrase:
      return Notice(
        kind: parameter("short") == nil ? .good : .warning, title: "The passphrase of this machine was changed.",
        detail: parameter("short") == nil
          ? HTML()
          : p { "It is short: whoever copies this machine’s files can find it by trying. Choose a longer one." })
    case .removed:
      return Notice(
        kind: .good, title: "It is removed from the vault.",
        detail: p { "What it could read before, it may have kept." },
        action: linkButton("Items to replace", to: PageAddress("replace")))
    case .undone:
      return Notice(kind: .good, title: text("\(counted(count, "item was", "items were")) brought back."))
    case .deleted:
      return Notice(
        kind: .good, title: text("\(counted(count, "item was", "items were")) deleted."),
        detail: p {
          "This can be undone for \(InspectedVault.undoMinutes) minutes, unless the vault is locked before."
        },
        action: joined {
          div(.class("actions")) {
            parameter("revision").map {
              linkButton("Versions", .history, to: PageAddress("history").with("revision", $0))
            }
            parameter("undo").map { token in
              changeForm(list?.carried(by: PageAddress("undo", token)) ?? PageAddress("undo", token), csrf: csrf) {
                submit("Undo", .undo)
              }
            }
          }
        })
    }
  }
}
