import Coffer
import CofferInspection
import CofferTestSupport
import Foundation
import NIOCore
import Testing

@testable import CofferInspectProgram

@Suite struct ItemTableTests {
  @Test func `A date is its age for a week, then its day, then its month`() {
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    func words(_ seconds: Double) -> String { agoWords(now.addingTimeInterval(-seconds), at: now) }
    #expect(words(0) == "just now" && words(59) == "just now" && words(-30) == "just now")
    #expect(words(60) == "1 min ago" && words(3_599) == "59 min ago" && words(3_600) == "1 h ago")
    #expect(words(86_400) == "yesterday" && words(172_800) == "2 days ago" && words(604_799) == "6 days ago")
    #expect(words(604_800 + 43_200).wholeMatch(of: /[0-9]{1,2} [A-Z][a-z]{2}/) != nil)
    #expect(words(400 * 86_400).wholeMatch(of: /[A-Z][a-z]{2} 2025/) != nil)
    // A clock that is ahead is no age.
    #expect(!words(-86_400).contains("ago") && words(-86_400) != "just now")
  }

  @Test func `A tile shows the first letter of a name, never a mark that reorders`() {
    #expect(tile("github.com", .genericPassword).source.contains(">G</span>"))
    #expect(tile("\u{202E}«émile»", .genericPassword).source.contains(">É</span>"))
    for name in ["\u{202E}", "<>", ""] { #expect(tile(name, .genericPassword).source.contains("<svg")) }
    #expect(tile("Root", .certificate).source.contains("<svg"))
    #expect(tile("a", .genericPassword).source == tile("a", .genericPassword).source)
  }

  @Test func `The page of deleted items says if it may not show all of them`() {
    for isLimited in [true, false] {
      let page = DeletedListPage(
        rows: [], isLimited: isLimited, writableGroups: [], names: TeamNames(team: "TEAM"), csrf: "token"
      ).page
      #expect(page.lead?.source.contains("Of each group, the last") == isLimited)
    }
  }

  @Test func `A page below a list carries the list and leads back to it`() throws {
    var query = ItemListQuery()
    query.text = "jane & co"
    query.page = 2
    for group in [nil, "TEAM.com.example"] {
      let place = ListPlace(group: group, query: query)
      let address = place.carried(by: PageAddress("items", "genp", "00")).text
      let parameters = try #require(InspectorForm(ByteBuffer(string: String(address.split(separator: "?")[1]))))
      #expect(try ListPlace(parameters)?.address == place.address)
      // The page of an item knows its group: a locked page repeats the address.
      let item = place.carried(byItem: PageAddress("items", "genp", "00")).text
      #expect(!item.contains("com.example"))
      let own = try #require(InspectorForm(ByteBuffer(string: String(item.split(separator: "?")[1]))))
      #expect(try ListPlace(own, ofItemIn: "TEAM.com.example")?.address == place.address)
    }
    #expect(try ListPlace(InspectorForm())?.address == nil)
    let wrong = try #require(InspectorForm(ByteBuffer(string: "list=all&class=none")))
    #expect(throws: PageFailure.self) { try ListPlace(wrong) }
  }

  @Test func `Selected items are deleted only as they were shown, and codes are given to scripts alone`() throws {
    let items = try InspectedItems { app in
      for name in ["one", "two", "three"] { try app.add("v", for: GenericPassword(service: name, account: "jane")) }
    }
    let list = try items.get("/items").text
    let boxes = list.matches(of: /name="item" value="([^"]+)"/).map { String($0.1) }
    #expect(boxes.count == 3)
    let path = "/selection?list=all&action=delete&item=\(boxes[0])&item=\(boxes[1])"
    let page = try items.get(path)
    #expect(page.status == 200 && page.text.contains("Delete 2 items?"))
    let seen = try #require(page.text.firstMatch(of: /name="seen" value="([0-9a-f]+)"/)).1
    let other = try items.post("/selection?list=all", ["action": "delete", "item": boxes[2], "seen": String(seen)])
    #expect(other.status == 409, "\(other)")
    #expect(try items.app.count(GenericPassword.self) == 3)
    for wrong in [
      "/selection?list=all&action=delete", "/selection?list=all&action=burn&item=\(boxes[0])",
      "/selection?list=all&action=delete&item=x",
    ] { #expect(try items.get(wrong).status == 400, "\(wrong)") }
    let place = try items.place(of: "one")
    #expect(try items.post(place.address("code"), ["revision": place.revision]).status == 400)
    let none = try items.value(at: place.address("code"), ["revision": place.revision])
    #expect(none.status == 422 && none.text.contains("no one-time codes"), "\(none)")
  }
}
