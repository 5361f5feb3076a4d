internal import Coffer
internal import CofferCrypto
internal import CofferInspection
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault
internal import HTTPTypes
internal import Hummingbird

/// The forms that change an item.
extension Pages {
  func addItemForms(to routes: PageRoutes) {
    routes.page(Self.item.appendingPath("edit")) { vault, visit in
      let (place, details) = try Self.writable(vault, visit)
      return ItemEditPage(place: place, details: details, app: visit.app, names: visit.names, csrf: visit.csrf).page
    }
    routes.form(Self.item.appendingPath("edit")) { vault, visit in try Self.edit(vault, visit) }
    routes.page(Self.item.appendingPath("move")) { vault, visit in
      let (place, details) = try Self.writable(vault, visit)
      return try Self.selection(.move, place, details, vault, visit)
    }
    routes.form(Self.item.appendingPath("move")) { vault, visit in try Self.move(vault, visit) }
    routes.page(Self.item.appendingPath("delete")) { vault, visit in
      let (place, details) = try Self.writable(vault, visit)
      return try Self.selection(.delete, place, details, vault, visit)
    }
    routes.change(Self.item.appendingPath("delete")) { vault, visit in
      let (place, details) = try Self.details(vault, visit)
      let revision = try Self.revision(visit, of: details)
      let deletion = try vault.delete([revision])
      let list = place.list?.address ?? PageAddress("groups", details.row.group)
      return list.after(deletion).with("revision", revision.text)
    }
    routes.change(Self.item.appendingPath("restore")) { vault, visit in
      let (place, details) = try Self.details(vault, visit)
      _ = try Self.revision(visit, of: details)
      let version = try Self.restore(vault, visit)
      let done = visit.form["reason"] == "conflict" ? Done.kept : .restored
      let page = version.isDeletion ? PageAddress("groups", details.row.group) : place.address()
      return page.with("done", done.rawValue)
    }
  }

  private static func edit(_ vault: InspectedVault, _ visit: Visit) throws -> Answer {
    let (place, details) = try writable(vault, visit)
    let seen = try revision(visit)
    // What somebody else has changed meanwhile was not typed here.
    let fields =
      seen == details.revision ? details.fields : try vault.fields(of: place.reference, seenAs: seen)
    guard let fields else { throw otherItem }
    let changes = ItemEditPage.changes(of: fields) { visit.form.all($0).last }
    let value = try value(in: visit)
    do throws(VaultError) {
      // Never another item than that of the address, whatever the form names.
      guard seen.address == details.revision.address else { throw renamed }
      try vault.edit(seen, changes, value: value, oneTimePassword: try seed(in: visit))
      return .done(place.address().with("done", Done.saved.rawValue))
    } catch {
      guard let status = status(of: error) else { throw error }
      let before = Dictionary(fields.map { ($0.code, $0.fieldText) }) { $1 }
      let overtaken = details.fields.filter { before[$0.code] != $0.fieldText }.map(\.code)
      let hasSeed = Self.hasSeed(in: visit)
      let page = ItemEditPage(
        place: place, details: details, entered: changes, overtaken: Set(overtaken), hasLostValue: value != nil,
        hasLostSeed: hasSeed, failure: Self.words(error, isWhole: value == nil && !hasSeed, visit), app: visit.app,
        names: visit.names, csrf: visit.csrf)
      return .show(page.page, status)
    }
  }

  /// Why an item was not saved. `isWhole` says whether the form that is shown then has everything that was typed.
  private static func words(_ error: VaultError, isWhole: Bool, _ visit: Visit) -> String {
    guard error.code == .itemChanged else { return FailurePage.words(error) }
    let message = visit.names.shortened(error.message).asSentence
    return isWhole ? "\(message) What you have typed is still here: save it again if it is still right." : message
  }

  /// Whether a form has a seed of one-time codes, as text or as a picture.
  private static func hasSeed(in visit: Visit) -> Bool {
    [ItemEditPage.seed, ItemEditPage.picture].contains { visit.form.filledSecret($0) != nil }
  }

  /// The new seed of one-time codes of a form, as text, as an address or as a picture of it; nil for none.
  private static func seed(in visit: Visit) throws(VaultError) -> OneTimePassword? {
    let picture = visit.form.filledSecret(ItemEditPage.picture)
    let text = try picture.map { picture throws(VaultError) in try QRCodePicture.read(picture) }
    guard let text = text ?? visit.form[ItemEditPage.seed], !text.isEmpty else { return nil }
    return try text.lowercased().hasPrefix("otpauth:") ? OneTimePassword(uri: text) : OneTimePassword(seed: text)
  }

  private static func move(_ vault: InspectedVault, _ visit: Visit) throws -> Answer {
    let (place, details) = try writable(vault, visit)
    guard let group = visit.form["to"] else { throw malformed }
    do throws(VaultError) {
      try vault.move(try revision(visit, of: details), to: group)
      let moved = ItemPlace(reference: place.reference, group: group)
      return .done(moved.address().with("done", Done.moved.rawValue))
    } catch {
      guard error.code != .itemChanged, let status = status(of: error) else { throw error }
      return .show(try selection(.move, place, details, vault, visit, failure: FailurePage.words(error)), status)
    }
  }

  /// The page that asks before an item is deleted or moved.
  private static func selection(
    _ action: SelectionPage.Action, _ place: ItemPlace, _ details: ItemDetails, _ vault: InspectedVault,
    _ visit: Visit, failure: String? = nil
  ) throws(VaultError) -> Page {
    SelectionPage(
      action: action, rows: [details.row], address: place.address(action.rawValue),
      fields: [("revision", details.revision.text)],
      path: [.group(details.row.group, visit.names), Page.Step(name: details.row.name, address: place.address())],
      menu: .group(details.row.group), groups: try vault.writableGroups,
      notice: .failure("Nothing was changed.", failure) ?? (action == .move ? ChangeWarning.conflict(details) : nil),
      names: visit.names, csrf: visit.csrf
    ).page
  }

  /// The status of an error that the person can correct in the form; nil for any other.
  static func status(of error: VaultError) -> HTTPResponse.Status? {
    switch error.code {
    case .duplicateItem, .itemChanged: .conflict
    case .invalidArgument: .unprocessableContent
    // A picture that no program here reads.
    case .io: .serviceUnavailable
    default: nil
    }
  }

  /// What the person has seen of the item, as the form names it.
  static func revision(_ visit: Visit) throws(VaultError) -> ItemRevision {
    guard let revision = visit.form["revision"].flatMap({ ItemRevision(text: $0) }) else {
      throw VaultError(
        .invalidArgument, "the form is incomplete", recoverySuggestion: "reload the page and try again")
    }
    return revision
  }

  /// What the person has seen of the item that an address names, as the form says. Throws `itemChanged` if the form is
  /// of another item, or of this one under an earlier name.
  static func revision(_ visit: Visit, of details: ItemDetails) throws(VaultError) -> ItemRevision {
    let revision = try revision(visit)
    guard revision.address == details.revision.address else { throw otherItem }
    return revision
  }

  private static let renamed = VaultError(
    .itemChanged, "the item was renamed after it was shown; nothing was changed now",
    recoverySuggestion: "look at the form again, and save it if it is still right")

  static let otherItem = VaultError(
    .itemChanged, "the form is not of this item as it is now; nothing was done",
    recoverySuggestion: "look at the item again")

  /// Makes the version current that a form names.
  static func restore(_ vault: InspectedVault, _ visit: Visit) throws(VaultError) -> ItemVersionRow {
    let revision = try revision(visit)
    let version = try version(visit.form["version"] ?? "", of: revision, in: vault)
    try vault.restore(version, over: revision)
    return version
  }

  /// The item that an address names, if it can be changed.
  private static func writable(_ vault: InspectedVault, _ visit: Visit) throws -> (ItemPlace, ItemDetails) {
    let (place, details) = try details(vault, visit)
    guard details.isWritable else {
      throw PageFailure(
        .forbidden, "You may only read this", "this item is in a group that you can only read",
        suggestion: "run coffer inspect as the owner, or with --app and an app that may write the group")
    }
    return (place, details)
  }
}

/// New items: passwords and keys.
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
    for name in ["label", "tag", "algorithm"] { entered[name] = visit.form[name] }
    var texts: [String: String] = [:]
    if kind != .key {
      for field in InspectedVault.newFields(of: kind) { texts[field.code] = visit.form.all(field.code).last }
    }
    entered.merge(texts) { $1 }
    let value = try value(in: visit)
    do throws(VaultError) {
      let item: ItemReference
      if kind == .key {
        guard let key = entered["algorithm"].flatMap({ NewKey(rawValue: $0) }) else { throw incomplete }
        item = try vault.addKey(key, label: entered["label"] ?? "", tag: entered["tag"] ?? "", in: group)
      } else {
        item = try vault.addPassword(
          kind, texts, oneTimePassword: try seed(in: visit), value: value ?? SecretText(copying: []), in: group)
      }
      return .done(ItemPlace(reference: item, group: group).address().with("done", Done.added.rawValue))
    } catch {
      guard let status = status(of: error) else { throw error }
      let page = ItemCreationPage(
        kind: kind, group: group, groups: try vault.writableGroups, entered: entered,
        failure: FailurePage.words(error), hasLostValue: value != nil, hasLostSeed: Self.hasSeed(in: visit),
        names: visit.names, csrf: visit.csrf)
      return .show(page.page, status)
    }
  }

  private static let incomplete = VaultError(
    .invalidArgument, "the form is incomplete", recoverySuggestion: "reload the page and try again")
}
