import Coffer
import CofferTestSupport
import Foundation
import Testing

/// The items to replace after an app was removed.
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
    #expect(overview.contains("2 items could be read by somebody who was removed from the vault"))
    let badge = "Items to replace</bdi></span><span class=\"count alert\">"
    #expect(try items.get("/items").text.contains("\(badge)2<"))
    #expect(overview.contains(">Replace 2</a>") && overview.contains("href=\"/refused\""))
    let list = try items.get("/replace").text
    #expect(list.contains(">2 items<") && list.contains("mail.example.com"))
    let heading = try #require(list.firstMatch(of: /<h2[^>]*>(<bdi>com.example.mail on laptop<\/bdi>, .*?: 2)<\/h2>/)).1
    #expect(heading.contains("<time "))
    #expect(list.contains("&lt;script&gt;") && !list.contains("<script>alert") && !list.contains("value-of-it"))
    #expect(list.contains(" of the log</a>") && !list.contains("<progress"))
    let link = try #require(list.firstMatch(of: /href="(\/items\/genp\/[0-9a-f]{32})\/edit\?([^"]+)"/))
    let (item, query) = (String(link.1), link.2.replacingOccurrences(of: "&amp;", with: "&"))

    // The same value again, or another label, is no new value.
    for (index, fields) in [["labl": "Label"], ["value": "value-of-it"]].enumerated() {
      let done = try edit(items, item, query, fields)
      #expect(done.status == 303, "\(index): \(done)")
      #expect(try items.get("/replace").text.contains(">2 items<"), "\(index)")
    }
    #expect(try edit(items, item, query, ["value": "another"]).status == 303)
    let rest = try items.get("/replace").text
    #expect(rest.contains("1 item<") && !rest.contains(item))
    #expect(rest.contains("<progress value=\"1\" max=\"2\"") && rest.contains("1 of 2 done"))
    #expect(try items.get("/").text.contains("1 item could be read by somebody"))
    for service in ["mail.example.com", hostile] {
      try items.machine.coffer("set", service, "jane", "--group", "com.example.mail", input: "a new one")
    }
    #expect(try items.get("/replace").text.contains("Nothing to replace"))
    let after = try items.get("/").text
    #expect(!after.contains("could be read by somebody") && after.contains("href=\"/replace\""))
  }

  @Test func `Checked items of a list are dismissed through the form of what to replace, if they are to be replaced`()
    throws
  {
    let items = try InspectedItems { app in
      for account in ["closed", "open"] {
        try app.add("value-of-it", for: GenericPassword(service: "mail.example.com", account: account))
      }
    }
    #expect(!(try items.get("/items").text.contains("value=\"dismiss\"")))
    try items.machine.coffer("app", "remove", "com.example.mail", "--yes")
    let list = try items.get("/items?q=closed").text
    #expect(list.contains("value=\"dismiss\""))
    let box = try #require(list.firstMatch(of: /name="item" value="([^"]+)"/)).1
    let page = try items.get("/selection?list=all&action=dismiss&item=\(box)").text
    #expect(page.contains("action=\"/replace\"") && page.contains("name=\"reason\""))
    let key = String(try #require(page.firstMatch(of: /name="item" value="([^"]+)"/)).1)
    #expect(try items.post("/replace", ["item": key]).status == 400)
    let done = try items.post("/replace", ["item": key, "reason": "closed"])
    #expect(done.status == 303 && done["location"]?.contains("count=1") == true, "\(done)")
    let rest = try items.get("/replace").text.components(separatedBy: "id=\"dismissed\"")
    #expect(rest[0].contains(">open<") && !rest[0].contains(">closed<"))
    let again = try items.get("/selection?list=all&action=dismiss&item=\(box)").text
    #expect(again.contains("Nothing to dismiss") && !again.contains("name=\"reason\""))
  }

  @Test func `A dismissed item is shown with its reason, who dismissed it and when, until it is put back`() throws {
    let items = try InspectedItems { app in
      for account in ["closed", "open"] {
        try app.add("value-of-it", for: GenericPassword(service: "mail.example.com", account: account))
      }
    }
    try items.machine.coffer("app", "remove", "com.example.mail", "--yes")
    #expect(!(try items.get("/replace").text.contains("id=\"dismissed\"")))
    let command = ["rotate", "dismiss", "mail.example.com", "closed", "--group", "com.example.mail"]
    try items.machine.succeed("coffer", command + ["--reason", "<b>The account</b> is closed"])
    let page = try items.get("/replace").text
    let parts = page.components(separatedBy: "id=\"dismissed\"")
    #expect(parts.count == 2 && parts[0].contains("1 item<") && parts[0].contains(">open<"))
    let dismissed = try #require(parts.last)
    #expect(!parts[0].contains(">closed<") && dismissed.contains(">closed<") && !dismissed.contains(">open<"))
    #expect(dismissed.contains("<bdi>&lt;b&gt;The account&lt;/b&gt; is closed</bdi>"))
    #expect(dismissed.contains("by <bdi>the owner on laptop</bdi>, <a") && dismissed.contains("<time "))
    #expect(parts[0].contains("1 of 2 done"))
    #expect(!page.contains("<b>") && !page.contains("value-of-it"))
    // The link leads to the entry of the log, which says the same.
    let link = try #require(dismissed.firstMatch(of: /href="(\/log\?before=[0-9]+)"/)).1
    let log = try items.get(String(link)).text
    let newest = try #require(log.components(separatedBy: "<li").first { $0.contains("class=\"what\"") })
    #expect(newest.contains("The owner on laptop dismissed 1 item from the list of what to replace after entry "))
    #expect(newest.contains("&lt;b&gt;The account&lt;/b&gt; is closed") && !log.contains("<b>"))

    try items.machine.succeed("coffer", command + ["--undo"])
    let after = try items.get("/replace").text
    #expect(after.contains("2 items<") && !after.contains("id=\"dismissed\""))
    // With all dismissed, nothing is left to replace.
    try items.machine.coffer("rotate", "dismiss", "--all", "--yes", "--reason", "test data")
    let all = try items.get("/replace").text
    #expect(all.contains("Nothing to replace") && all.contains("2 items whose value stays as it is"))
    #expect(!(try items.get("/").text.contains("could be read by somebody")))
  }

  @Test func `Items are searched, shown in pages, and dismissed with a reason, those that are selected or all`() throws
  {
    let items = try InspectedItems { app in
      for account in 1...60 {
        try app.add("value-of-it", for: GenericPassword(service: "mail.example.com", account: "account-\(account)"))
      }
    }
    try items.machine.coffer("app", "remove", "com.example.mail", "--yes")
    let first = try items.get("/replace").text
    #expect(first.contains("1–50 of 60 items") && first.contains("Page 1 of 2") && first.contains(": 60</h2>"))
    #expect(try items.get("/replace?page=2").text.contains("51–60 of 60 items"))
    let found = try items.get("/replace?q=EXAMPLE+account-60").text
    #expect(found.contains(">1 item<") && found.contains(">account-60<") && !found.contains("Page "))
    #expect(try items.get("/replace?q=nothing").text.contains("No item matches"))
    let key = String(try #require(found.firstMatch(of: /name="item" value="([^"]+)"/)).1)

    // Nothing is dismissed without a reason, without an item, or if the list is another one by now.
    let other = try allItems(of: found)
    for (fields, status) in [
      (["item": key], 400), (["item": key, "reason": "a\u{202E}b"], 400), (["reason": "closed"], 409),
      (["item": "0", "reason": "closed"], 409), (["all": other, "reason": "closed"], 409),
    ] {
      let refused = try items.post("/replace", fields)
      #expect(refused.status == status && refused.text.contains("Nothing was dismissed."), "\(fields): \(refused)")
    }
    #expect(try items.get("/replace").text.contains("of 60 items"))
    let done = try items.post("/replace", ["item": key, "reason": "<b>closed</b>", "q": "account-60"])
    #expect(done.status == 303 && done["location"] == "/replace?q=account-60&done=dismissed&count=1", "\(done)")
    let after = try items.get("/replace").text
    #expect(
      after.contains("of 59 items") && after.contains("&lt;b&gt;closed&lt;/b&gt;") && after.contains("1 of 60 done"))
    // All that a search has found, and no other.
    let shown = try items.get("/replace?q=account-5").text
    let matching = try items.post("/replace", ["all": allItems(of: shown), "reason": "test data", "q": "account-5"])
    #expect(matching.status == 303)
    #expect(try items.get("/replace").text.contains(">48 items<"))
  }

  @Test func `A page that is older than the last removal dismisses nothing that this removal has exposed again`()
    throws
  {
    let items = try InspectedItems { app in
      for account in ["one", "two", "three"] {
        let password = GenericPassword(service: "mail.example.com", account: account)
        try app.add("value-of-it", for: password, in: "com.example.shared")
      }
    }
    let plist = entitlementsPlist("com.example.notes", groups: ["~com.example.shared"])
    try items.machine.coffer("app", "add", try items.machine.directory.write("notes.plist", plist))
    try items.machine.coffer("app", "remove", "com.example.notes", "--yes")
    let seen = try items.get("/replace").text
    #expect(seen.contains(">3 items<"))
    let key = String(try #require(seen.firstMatch(of: /name="item" value="([^"]+)"/)).1)

    try items.machine.coffer("app", "remove", "com.example.mail", "--yes")
    for choice in [["item": key], ["all": try allItems(of: seen)]] {
      let refused = try items.post("/replace", choice.merging(["reason": "closed"]) { $1 })
      #expect(refused.status == 409 && refused.text.contains("Nothing was dismissed."), "\(choice): \(refused)")
    }
    let now = try items.get("/replace").text
    #expect(now.contains(">3 items<") && !now.contains("id=\"dismissed\""))
    // What the page shows by now can be dismissed.
    let done = try items.post("/replace", ["all": allItems(of: now), "reason": "closed"])
    #expect(done.status == 303 && done["location"]?.contains("count=3") == true, "\(done)")
  }

  @Test func `A machine with a passphrase dismisses nothing without it`() throws {
    let items = try InspectedItems(hasPassphrase: true) { app in
      try app.add("value-of-it", for: GenericPassword(service: "mail.example.com", account: "jane"))
    }
    try items.machine.coffer("app", "remove", "com.example.mail", "--yes")
    let page = try items.get("/replace").text
    #expect(page.contains("name=\"passphrase\""))
    let all = try allItems(of: page)
    for passphrase in ["", "wrong"] {
      let refused = try items.post("/replace", ["all": all, "reason": "closed", "passphrase": passphrase])
      #expect(refused.status == 422 && refused.text.contains("value=\"closed\""), "\(refused)")
    }
    let fields = ["all": all, "reason": "closed", "passphrase": InspectedItems.passphrase]
    #expect(try items.post("/replace", fields).status == 303)
    #expect(try items.get("/replace").text.contains("Nothing to replace"))
  }

  /// The value of the box that chooses all items of a page's list.
  private func allItems(of page: String) throws -> String {
    String(try #require(page.firstMatch(of: /name="all" value="([0-9a-f]{64})"/), "\(page)").1)
  }

  private func edit(
    _ items: InspectedItems, _ item: String, _ query: String, _ fields: [String: String]
  ) throws -> RawResponse {
    let page = try items.get("\(item)/edit?\(query)").text
    let revision = String(try #require(page.firstMatch(of: /name="revision" value="([^"]+)"/)).1)
    return try items.post("\(item)/edit?\(query)", fields.merging(["revision": revision]) { $1 })
  }
}
