internal import CofferInspection

/// What a version changed, as a table of before and after.
struct DifferenceTable {
  let difference: VersionDifference

  var html: HTML {
    guard !difference.attributes.isEmpty || difference.valueDiffers == true else {
      return p(.class("hint")) { "Nothing but the time was changed." }
    }
    guard !difference.attributes.isEmpty else { return p { "The value was changed." } }
    return scrolling("Changes") {
      table(.class("diff")) {
        caption(.class("visually-hidden")) { "What this version changed" }
        headings([("Attribute", nil), ("Before", nil), ("After", nil)])
        tbody {
          for attribute in difference.attributes {
            tr {
              th(.scope("row")) { text(attribute.name) }
              td { attribute.before.map { before in del { given(before, limit: 400) } } ?? "not set" }
              td { attribute.after.map { after in ins { given(after, limit: 400) } } ?? "not set" }
            }
          }
          if difference.valueDiffers == true {
            tr {
              th(.scope("row")) { "Value" }
              td(.colspan(2)) { "changed" }
            }
          }
        }
      }
    }
  }
}
