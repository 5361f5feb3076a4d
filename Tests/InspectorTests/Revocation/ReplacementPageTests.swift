import Coffer
import CofferTestSupport
import Foundation
import Testing

/// The items to replace after an app was taken out.
@Suite struct ReplacementPageTests {
  @Test func `Items that somebody could read are listed with the revocation, counted on the overview, until replaced`()
    throws
  {
    let hostile = "<script>alert(1)</script>"
    let items = try InspectedItems { app in
      for service in ["mail.example.com", hostile] {
        try app.add("value-of-it", for: GenericPassword(service: service, account: "jane"))
      }
    }
    let before = try items.get("/")
    #expect(!before.text.contains("href=\"/replace\"") && !before.text.contains("href=\"/refused\""))
    let none = try items.get("/replace")
    #expect(none.status == 200 && none.text.contains("Nothing to replace"))

    try items.machine.coffer("app", "remove", "com.example.mail", "--yes")
    let overview = try items.get("/").text
    #expect(overview.contains("2 items could be read by somebody who was taken out of the vault"))
    #expect(overview.contains("Show items to replace") && overview.contains("href=\"/refused\""))
    let list = try items.get("/replace").text
    #expect(
      list.contains("2 items") && list.contains("mail.example.com") && list.contains("com.example.mail on laptop"))
    #expect(list.contains("&lt;script&gt;") && !list.contains("<script>alert") && !list.contains("value-of-it"))
    #expect(list.contains("taken out <time") && list.contains(" of the log</a>"))
    let link = try #require(list.firstMatch(of: /href="(\/items\/genp\/[0-9a-f]{32})\/edit\?([^"]+)"/))
    let (item, query) = (String(link.1), link.2.replacingOccurrences(of: "&amp;", with: "&"))

    // The same value again, or another label, is no new value.
    for (index, fields) in [["labl": "Label"], ["value": "value-of-it"]].enumerated() {
      let done = try edit(items, item, query, fields)
      #expect(done.status == 303, "\(index): \(done)")
      #expect(try items.get("/replace").text.contains("2 items"), "\(index)")
    }
    #expect(try edit(items, item, query, ["value": "another"]).status == 303)
    let rest = try items.get("/replace").text
    #expect(rest.contains("1 item<") && !rest.contains(item))
    #expect(try items.get("/").text.contains("1 item could be read by somebody"))
    for service in ["mail.example.com", hostile] {
      try items.machine.coffer("set", service, "jane", "--group", "com.example.mail", input: "a new one")
    }
    #expect(try items.get("/replace").text.contains("Nothing to replace"))
    let after = try items.get("/").text
    #expect(!after.contains("could be read by somebody") && after.contains("href=\"/replace\""))
  }

  private func edit(
    _ items: InspectedItems, _ item: String, _ query: String, _ fields: [String: String]
  ) throws -> RawResponse {
    let page = try items.get("\(item)/edit?\(query)").text
    let revision = String(try #require(page.firstMatch(of: /name="revision" value="([^"]+)"/)).1)
    return try items.post("\(item)/edit?\(query)", fields.merging(["revision": revision]) { $1 })
  }
}
