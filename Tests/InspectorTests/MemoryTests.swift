#if os(Linux)
  import Coffer
  import CofferTestSupport
  import Foundation
  import Testing

  /// What is left in the memory of the program.
  @Suite(.enabled(if: geteuid() == 0, "only root can read the memory of a program without core dumps"))
  struct MemoryTests {
    // Texts of up to 15 bytes are part of Swift's values, and may stay on the stack of a thread.
    private static let names = [
      "service-of-the-first-item", "account-of-the-first-item", "label-of-the-first-item", "comment-of-the-first-item",
      "service-of-another-item", "com.example.mail", "com.example.shared",
    ]
    private static let value = "value-that-nobody-may-find"

    private func items() throws -> InspectedItems {
      try InspectedItems(hasPassphrase: true, "--idle", "5s") { app in
        var item = GenericPassword(
          service: "service-of-the-first-item", account: "account-of-the-first-item", label: "label-of-the-first-item")
        item.comment = "comment-of-the-first-item"
        try app.add("an earlier value", for: item)
        try app.set(Data("\(Self.value) \(String(repeating: "x", count: 300_000)) \(Self.value)".utf8), for: item)
        try app.add(
          Data(Self.value.utf8) + [0], for: GenericPassword(service: "service-of-another-item", account: "a"))
      }
    }

    private func count(of text: String, in items: InspectedItems) throws -> Int {
      try ProcessMemory(of: items.inspector.program.processIdentifier).count(of: text)
    }

    @Test func `A value that was shown or compared is in no memory afterwards`() throws {
      let items = try items()
      let place = try items.place(of: "service-of-the-first-item")
      let shown = try items.value(at: place.address("value"), ["revision": place.revision])
      #expect(shown.status == 200 && shown.text.components(separatedBy: Self.value).count == 3)
      let other = try items.place(of: "service-of-another-item")
      let bytes = try items.value(at: other.address("value"), ["revision": other.revision])
      let base64 = Data(Self.value.utf8 + [0]).base64EncodedString()
      #expect(bytes.text == #"{"base64":"\#(base64)"}"#)
      #expect(try items.get(place.address("history")).text.contains("account-of-the-first-item"))
      #expect(try items.get(place.address("edit")).status == 200)
      // The buffers of an answer are wiped when the socket has taken them, which its reader may see before.
      try waitUntil("the value is overwritten") {
        try count(of: Self.value, in: items) == 0 && count(of: base64, in: items) == 0
      }
    }

    @Test func `After a lock, no name of the vault is in the memory of the program`() throws {
      let items = try items()
      let place = try items.place(of: "service-of-the-first-item")
      for path in [
        "/", "/items?q=item", "/apps", "/machines", "/access", "/log", "/deleted", "/replace", "/refused",
        place.address("edit"),
      ] {
        #expect(try items.get(path).status == 200, "\(path)")
      }
      _ = try items.get(place.address("history"))
      let background = ["X-Coffer-Background": "1"]
      try waitUntil("the vault is locked") {
        try items.inspector.send("GET", "/session", background, as: items.session).status == 423
      }
      for name in Self.names { try waitUntil("the names are overwritten") { try count(of: name, in: items) == 0 } }
      // The program still runs, and shows all of it again.
      #expect(items.inspector.program.isRunning)
      #expect(try items.get("/items?q=item").text.contains("service-of-the-first-item"))
      #expect(try count(of: "service-of-the-first-item", in: items) > 0)
    }
  }
#endif
