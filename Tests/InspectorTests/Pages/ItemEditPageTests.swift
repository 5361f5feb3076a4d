import CofferFormat
import Testing

@testable import CofferInspectProgram
@testable import CofferInspection

@Suite struct ItemEditPageTests {
  private func fields(_ values: [AttributeCode: AttributeValue]) -> [ItemAttributeRow] {
    var attributes = ItemAttributes()
    for (code, value) in values { attributes[code] = value }
    return ItemAttributeRow.allRows(attributes, of: .genericPassword, isEditable: true).filter { $0.field != nil }
  }

  /// What a browser sends for a form in which nothing was changed.
  private func unchanged(_ field: ItemAttributeRow) -> String {
    let shown = HTML.visible(field.fieldText)
    return field.field == .flag ? (shown == "1" ? "1" : "0") : shown.replacing("\n", with: "\r\n")
  }

  @Test func `Saving an unchanged form changes nothing, even a text that the form cannot hold`() {
    let fields = fields([
      .service: .string("a\u{0}b\u{202E}c"), .account: .string("jane"), .comment: .string("one\ntwo\r\nthree"),
      .isInvisible: .number(1),
    ])
    #expect(fields.count > 5)
    let changes = ItemEditPage.changes(of: fields) { code in fields.first { $0.code == code }.map(unchanged) }
    #expect(changes.isEmpty)
  }

  @Test func `A form changes what a person has typed, and nothing that it does not contain`() {
    let fields = fields([.service: .string("old"), .account: .string("jane"), .isInvisible: .number(1)])
    let sent = ["svce": "new", "acct": "", "invi": "0", "icmt": "one\r\ntwo", "nega": "0"]
    #expect(
      ItemEditPage.changes(of: fields) { sent[$0] } == ["svce": "new", "acct": "", "invi": "0", "icmt": "one\ntwo"])
  }
}
