import Foundation
import Testing

@testable import CofferInspectProgram
@testable import CofferInspection

@Suite struct FrameTests {
  private let frame = Frame(
    vault: VaultMenu(
      team: "TEAM", names: TeamNames(team: "TEAM"),
      groups: [VaultMenu.Group(name: "TEAM.<b>", title: "<b>", itemCount: 1_234)], conflictCount: 2,
      hasRevocations: false), csrf: "token")

  @Test func `A document has a language, a title, landmarks, and one heading of the first level`() {
    var page = Page(title: "A <title> \u{202E}", place: .items)
    page.lead = "Words"
    let document = frame.document(page)
    #expect(document.hasPrefix("<!doctype html>\n<html lang=\"en\"><head>"))
    #expect(document.contains("<title>A &lt;title&gt; ‹U+202E› – Coffer</title>"))
    #expect(document.components(separatedBy: "<h1").count == 2)
    #expect(document.contains(#"<nav id="menu" class="menu" popover aria-label="Vault">"#))
    #expect(document.contains(#"<main id="main" tabindex="-1">"#))
    #expect(document.contains(##"<a class="skip" href="#main">"##))
    #expect(document.contains(#"href="/groups/TEAM.%3Cb%3E""#))
    #expect(!document.contains("<b>"))
  }

  @Test func `An app's name is beside the vault's, and its menu lacks what is the owner's`() {
    var frame = frame
    let page = Page(title: "Overview", place: .overview)
    #expect(!frame.document(page).contains("class=\"actor\""))
    frame.app = "com.example.<b>"
    let document = frame.document(page)
    #expect(document.contains("<small class=\"actor\">As <bdi>com.example.&lt;b&gt;</bdi></small>"))
    for address in ["machines", "access", "log", "sync"] {
      #expect(!document.contains("href=\"/\(address)\""), "\(address)")
    }
    for address in ["items", "certificates", "keys", "deleted", "conflicts", "apps"] {
      #expect(document.contains("href=\"/\(address)\""), "\(address)")
    }
  }

  @Test func `The menu has the groups last, a lock that does not scroll, and a badge for items to replace`() throws {
    var frame = frame
    frame.vault.hasRevocations = true
    frame.vault.replacementCount = 3
    let document = frame.document(Page(title: "Overview", place: .overview))
    func place(_ text: String) throws -> String.Index { try #require(document.range(of: text)).lowerBound }
    #expect(try place("<h2>Access</h2>") < place("<h2>Groups</h2>"))
    #expect(try place("href=\"/groups/") < place("</div></div><div class=\"menu-foot\">"))
    #expect(document.contains("Items to replace</bdi></span><span class=\"count alert\">3</span>"))
    frame.vault.replacementCount = 0
    #expect(!frame.document(Page(title: "Overview", place: .overview)).contains("count alert\">0"))
  }

  @Test func `A heading shows a whole phrase with long names, which break after their dots`() {
    let name = "com.example." + String(repeating: "n", count: 80)
    let document = frame.document(Page(title: "Remove \(name) on \(name)?", place: .apps))
    #expect(document.contains("<h1><bdi>Remove com.<wbr>example.<wbr>nnn") && document.contains("?</bdi></h1>"))
    #expect(!document.contains(" bytes)</bdi></h1>"))
  }

  @Test func `A document has no inline script or style, and asks no other host`() {
    let document = frame.document(Page(title: "Overview", place: .overview))
    #expect(!document.contains("<style"))
    #expect(!document.contains(" style="))
    #expect(!document.contains("//"))
    #expect(document.components(separatedBy: "<script").count == 2)
    #expect(document.contains(#"<script src="/assets/inspector.js" defer></script>"#))
  }

  @Test func `What was done is said in fixed words, whatever the address contains`() throws {
    let parameters = ["done": "deleted", "count": "<b>2</b>", "undo": "../lock?x=\""]
    let notice = try #require(Done.notice({ parameters[$0] }, csrf: "token"))
    #expect(notice.html.source.contains("1 item was deleted."))
    #expect(notice.html.source.contains(#"action="/undo/..%2Flock%3Fx%3D%22""#))
    var query = ItemListQuery()
    query.text = "jane"
    let list = try #require(Done.notice({ parameters[$0] }, csrf: "token", list: ListPlace(group: nil, query: query)))
    #expect(list.html.source.contains("?list=all&amp;q=jane\""), "the undo leads back to the search")
    #expect(Done.notice({ ["done": "<script>"][$0] }, csrf: "token") == nil)
  }
}
