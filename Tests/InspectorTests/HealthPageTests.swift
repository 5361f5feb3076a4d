import Coffer
import CofferTestSupport
import Foundation
import Testing

/// How good the passwords are, by requests as pages send them, and as none does.
@Suite struct HealthPageTests {
  private func items(_ arguments: String...) throws -> InspectedItems {
    try InspectedItems(hasPassphrase: true) { app in
      for (service, value) in [
        ("one.example.com", "needle-kW7$hTq9"), ("two.example.com", "needle-kW7$hTq9"),
        ("common.example.com", "P@ssw0rd"), ("weak.example.com", "abacus77"),
      ] {
        try app.add(value, for: GenericPassword(service: service, account: "jane"))
      }
      try app.addGuarded("guarded.example.com", value: "needle-kW7$hTq9")
    }
  }

  private struct Strength: Decodable {
    let grade: String
    let words: String
  }

  private func strength(_ items: InspectedItems, _ fields: [String: String]) throws -> Strength {
    let answer = try items.value(at: "/strength", fields)
    #expect(answer.status == 200 && answer["cache-control"] == "no-store", "\(answer)")
    return try JSONDecoder().decode(Strength.self, from: Data(answer.text.utf8))
  }

  @Test func `The page lists equal, common and weak passwords by their items, without values`() throws {
    let items = try items()
    let page = try items.get("/health").text
    #expect(page.contains("2 items with the same password") && page.contains("about 23 bits"))
    for id in ["reused", "common", "weak", "scope"] { #expect(page.contains("id=\"\(id)\""), "\(id)") }
    for service in ["one", "two", "common", "weak"] { #expect(page.contains("\(service)."), "\(service)") }
    #expect(page.contains("4 passwords were opened") && page.contains("1 item needs a further secret"))
    for value in ["needle", "P@ssw0rd", "abacus77"] { #expect(!page.contains(value)) }
  }

  @Test func `A typed password is judged, and compared with the other items`() throws {
    let items = try items()
    let weak = try strength(items, ["value": "Password2024!"])
    #expect(weak.grade == "weak" && weak.words.contains("bits") && !weak.words.contains("Password2024"))
    #expect(try strength(items, ["value": "Sunsh1ne"]).words.contains("commonest"))
    let reused = try strength(items, ["value": "needle-kW7$hTq9"])
    #expect(reused.words.contains("2 other items have this password."))
    // An item may keep its own.
    let place = try items.place(of: "one.example.com").path.dropFirst("/items/".count)
    let own = try strength(items, ["value": "needle-kW7$hTq9", "item": String(place)])
    #expect(own.words.contains("Another item has this password."))
  }

  @Test func `Only a script of the page's own session gets an answer about a password`() throws {
    let items = try items()
    #expect(try items.post("/strength", ["value": "x"]).status == 400)
    #expect(try items.value(at: "/strength", [:]).status == 400)
    let forged = try items.inspector.send(
      "POST", "/strength", ["Accept": "application/json"], form: "value=x", as: items.session)
    #expect(forged.status == 403)
    #expect(try items.inspector.send("GET", "/health").status == 403)
  }
}
