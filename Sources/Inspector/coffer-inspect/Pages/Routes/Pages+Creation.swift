internal import Coffer
internal import CofferCrypto
internal import CofferInspection
internal import CofferVault
internal import HTTPTypes
internal import Hummingbird

/// New items: passwords, keys, and certificates that are imported; and values that are generated for them.
extension Pages {
  func addCreation(to routes: PageRoutes) {
    routes.page("items/new") { vault, visit in
      let kind = try Self.kind(visit)
      let groups = try vault.writableGroups
      let group = visit.parameter("group")
      guard group.map({ groups.contains($0) }) ?? true else {
        throw PageFailure(
          .forbidden, "You may only read this", "the group is unknown, or you can only read it",
          suggestion: "choose another group")
      }
      return ItemCreationPage(kind: kind, group: group, groups: groups, names: visit.names, csrf: visit.csrf).page
    }
    routes.form("items/new") { vault, visit in try Self.add(vault, visit) }
    routes.router.post("generate") { request, context in
      guard request.headers[.accept] == "application/json" else { throw Self.malformed }
      return ValueMessage.response(with: ItemValue(generated: try Self.recipe(Visit(request, context)).password()))
    }
  }

  private static func kind(_ visit: Visit) throws(PageFailure) -> ItemKind {
    guard let code = visit.parameter("class") else { return .genericPassword }
    guard let kind = ItemKind(rawValue: code), ItemCreationPage.kinds.contains(kind) else {
      throw .address("no item of the class that the address names can be added")
    }
    return kind
  }

  private static func add(_ vault: InspectedVault, _ visit: Visit) throws -> Answer {
    let kind = try kind(visit)
    guard let group = visit.form["group"] else { throw malformed }
    var entered = ["group": group]
    for name in ["label", "tag", "algorithm", "pem"] { entered[name] = visit.form[name] }
    var texts: [String: String] = [:]
    if kind == .genericPassword || kind == .internetPassword {
      for field in InspectedVault.newFields(of: kind) { texts[field.code] = visit.form.all(field.code).last }
    }
    entered.merge(texts) { $1 }
    let value = try value(in: visit)
    do throws(VaultError) {
      switch kind {
      case .genericPassword, .internetPassword:
        let item = try vault.addPassword(
          kind, texts, value: value ?? SecretText(copying: []), in: group)
        return .done(place(of: item, group).with("done", Done.added.rawValue))
      case .key:
        guard let key = entered["algorithm"].flatMap({ NewKey(rawValue: $0) }) else { throw incomplete }
        let item = try vault.addKey(key, label: entered["label"] ?? "", tag: entered["tag"] ?? "", in: group)
        return .done(place(of: item, group).with("done", Done.added.rawValue))
      case .certificate, .identity:
        let items = try vault.importCertificates(entered["pem"] ?? "", in: group)
        let page = items.count == 1 ? place(of: items[0], group) : PageAddress("groups", group)
        return .done(page.with("done", Done.imported.rawValue).with("count", String(items.count)))
      }
    } catch {
      guard let status = status(of: error) else { throw error }
      let page = ItemCreationPage(
        kind: kind, group: group, groups: try vault.writableGroups, entered: entered,
        failure: FailurePage.words(PageFailure(error)), hasLostValue: value != nil, names: visit.names,
        csrf: visit.csrf)
      return .show(page.page, status)
    }
  }

  private static func place(of item: ItemReference, _ group: String) -> PageAddress {
    ItemPlace(reference: item, group: group).address()
  }

  private static let incomplete = VaultError(
    .invalidArgument, "the form is incomplete", recoverySuggestion: "reload the page and try again")
}
