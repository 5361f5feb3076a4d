internal import Coffer
internal import CofferInspection
internal import CofferSystem
internal import CofferVault

/// The form that changes an item. The value's field is always empty: the stored one is not sent to the page.
struct ItemEditPage {
  let place: ItemPlace
  let details: ItemDetails
  /// What the person typed before, if it could not be saved.
  var entered: [String: String] = [:]
  /// The codes of the attributes that somebody else has changed meanwhile.
  var overtaken: Set<String> = []
  /// Whether a new value was typed, which no page repeats.
  var hasLostValue = false
  /// Whether a seed of one-time codes was entered, as text or as a picture, which no page repeats.
  var hasLostSeed = false
  var failure: String?
  /// The full identifier of the app whose rights the pages have; nil for the owner.
  let app: String?
  let names: TeamNames
  let csrf: String

  var page: Page {
    var page = Page(title: "Edit \(details.row.name)", place: .group(details.row.group))
    page.path = [.group(details.row.group, names), Page.Step(name: details.row.name, address: place.address())]
    page.notice =
      .failure("The item was not saved.", failure, lost: Self.lost("new value", hasLostValue, seed: hasLostSeed))
      ?? ChangeWarning.conflict(details)
    page.content = card("Attributes and value", id: "edit") {
      changeForm(
        place.address("edit"), csrf: csrf, fields: ["revision": details.revision.text], .class("stack"), .data(.keep),
        .sendsFiles
      ) {
        div(.class("fields")) {
          for field in details.fields {
            ItemField(
              field: field, entered: entered[field.code], isOvertaken: overtaken.contains(field.code),
              warning: warning(of: field)
            ).html
          }
          if hasValue { value }
          if hasValue, details.valueGuard.isOpen {
            Self.seedField(
              details.hasCodes ? "New seed of one-time codes" : "Seed of one-time codes",
              empty: "Empty changes nothing.")
          }
        }
        formEnd(submit("Save changes", style: "primary"), cancel: place.address())
      }
    }
    return page
  }

  /// The fields for the seed of one-time codes: as text, or as a picture.
  static func seedField(_ title: HTML, empty: HTML) -> HTML {
    joined {
      secretField(title, seed, hint: "The text or the otpauth:// address that the service shows. \(empty)")
      div(.data(.drop)) {
        field("Or a picture of its QR code", picture, hint: "It can also be dropped here or pasted.") {
          input(.id(picture), .type("file"), .name(picture), .accept("image/png,image/jpeg,image/webp,image/gif"), $0)
        }
      }
    }
  }

  /// Says what has to be entered again; nil for nothing. The first argument is what the form calls the value.
  static func lost(_ value: String, _ hasLostValue: Bool, seed hasLostSeed: Bool) -> HTML? {
    switch (hasLostValue, hasLostSeed) {
    case (false, false): nil
    case (true, false): "Type the \(value) again."
    case (false, true): "Enter the seed of one-time codes again."
    case (true, true): "Type the \(value) again, and enter the seed of one-time codes again."
    }
  }

  /// The names of the fields of a seed.
  static let (seed, picture) = ("seed", "picture")

  private var hasValue: Bool {
    (details.row.kind == .genericPassword || details.row.kind == .internetPassword)
      && !details.valueGuard.requiresApplicationPassword
  }

  private var value: HTML {
    NewValueField(
      title: "New value", hint: "Leave it empty to keep the stored value.",
      stored: details.valueGuard.isOpen ? place.address("value") : nil
    ).html
  }

  /// What another choice of a field may do, besides changing the attribute.
  private func warning(of field: ItemAttributeRow) -> HTML? {
    field.code == "pdmn" && !details.isDeviceLocal ? ChangeWarning.staysHere : nil
  }

  /// Returns the new texts, by their codes, of the attributes that a form changes. A text that is still as the form
  /// showed it is not changed, even if the form cannot hold it as it is stored. `sent` returns the last text that was
  /// sent for a code.
  static func changes(of fields: [ItemAttributeRow], sent: (String) -> String?) -> [String: String] {
    var changes: [String: String] = [:]
    for field in fields {
      guard let text = sent(field.code).map(unixLines) else { continue }
      let isSame =
        field.field == .flag ? (text == "1") == (field.fieldText == "1") : text == unixLines(ItemField.shown(field))
      if !isSame { changes[field.code] = text }
    }
    return changes
  }

  /// The line ends that forms send become those that texts have.
  private static func unixLines(_ text: String) -> String {
    text.replacing("\r\n", with: "\n").replacing("␍\n", with: "\n")
  }
}

/// What a change does besides what its form says.
enum ChangeWarning {
  /// For forms that change an item in conflict; nil for any other item.
  static func conflict(_ details: ItemDetails) -> Notice? {
    guard !details.conflict.isEmpty else { return nil }
    return Notice(
      kind: .warning, title: "This ends the conflict.",
      detail: p {
        """
        Machines have changed the item at the same time. This form shows the current version; a change of it replaces all \
        \(details.conflict.count) versions. The others stay in the history for 30 days.
        """
      })
  }

  /// For a form in which the item can be made one that stays here.
  static let staysHere: HTML =
    "If you choose one that stays on this machine, the next sync deletes the item on all other machines."

  /// For a button that restores a version; nil if there is nothing to say.
  static func restoring(_ version: ItemVersionRow, among versions: [ItemVersionRow]) -> HTML? {
    let endsConflict = versions.contains(where: \.isInConflict)
    let isSynced = versions.contains { $0.isCurrent && !$0.isDeletion && !$0.isDeviceLocal }
    let staysHere = version.isDeviceLocal && !version.isDeletion && isSynced
    guard endsConflict || staysHere else { return nil }
    return p(.class("hint")) {
      if endsConflict { "Restoring it ends the conflict: it replaces all versions that are in conflict. " }
      if staysHere {
        "This version stays on this machine: if you restore it, the next sync deletes the item on all other machines."
      }
    }
  }
}
