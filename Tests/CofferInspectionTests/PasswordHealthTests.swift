import Coffer
import CofferCrypto
import CofferFormat
import CofferTestSupport
import CofferVault
import Foundation
import Testing

@testable import CofferInspection

@Suite struct PasswordHealthTests {
  private func add(_ value: String, _ service: String, to session: MemoryInspection) throws {
    try session.app.add(value, for: GenericPassword(service: service, account: "jane"))
  }

  private func titles(_ passwords: [PasswordHealth.Password]) -> [String] { passwords.map(\.row.title).sorted() }

  @Test func `Common, weak, equal and old passwords are found, and good ones are not`() throws {
    let session = try MemoryInspection()
    for (service, value) in [
      ("common", "P@ssw0rd"), ("weak", "abacus77"), ("good", "tR9#wQzKm2!vLx"), ("one", "kW7$hTq9!zRb"),
      ("two", "kW7$hTq9!zRb"),
    ] {
      try add(value, service, to: session)
    }
    try session.app.add("kW7$hTq9!zRb", for: InternetPassword(server: "three", account: "jane"))
    let health = try session.vault.passwordHealth()
    #expect(health.examinedCount == 6 && health.omissions.isEmpty)
    #expect(health.passwords(with: .common).map(titles) == [["common"]] && health.count(of: .old) == 0)
    #expect(health.passwords(with: .weak).map(titles) == [["weak"]] && health.count(of: .reused) == 3)
    #expect(health.passwords(with: .reused).map(titles) == [["one", "three", "two"]])
    let later = Date().addingTimeInterval(Double(PasswordHealth.oldDays + 1) * 86_400)
    #expect(try session.vault.passwordHealth(at: later).count(of: .old) == 6)
  }

  @Test func `Values that need a further secret stay closed, and what is no password is not judged`() throws {
    let session = try MemoryInspection()
    try add("same", "open", to: session)
    try add("same\nline", "note", to: session)
    try add(String(repeating: "x", count: 257), "long", to: session)
    try add("", "empty", to: session)
    let control = AccessControl(protection: "ak", flags: 1)
    let attributes = ItemAttributes([
      .service: .string("guarded"), .account: .string("jane"), .accessible: .string("ak"),
      .accessControl: .data(control.bytes),
    ])
    let draft = ItemDraft(itemClass: .genericPassword, attributes: attributes, value: Array("same".utf8))
    _ = try session.app.add(draft, in: nil)
    let health = try session.vault.passwordHealth()
    #expect(health.examinedCount == 1 && health.protectedCount == 1 && health.otherCount == 3)
    #expect(health.count(of: .reused) == 0)
    #expect(health.omissions.count == 2)
  }

  @Test func `A password that is typed is compared with those of the other items`() throws {
    let session = try MemoryInspection()
    try add("kW7$hTq9!zRb", "one", to: session)
    let own = try #require(try session.vault.passwordHealth().examinedCount == 1 ? reference("one", session) : nil)
    func count(_ text: String, except item: ItemReference? = nil) throws -> Int? {
      try session.vault.countItems(withPassword: SecretText(text), except: item)
    }
    #expect(try count("kW7$hTq9!zRb") == 1 && count("kW7$hTq9!zRb", except: own) == 0 && count("other") == 0)
    // What was stored since is known.
    try add("kW7$hTq9!zRb", "two", to: session)
    #expect(try count("kW7$hTq9!zRb", except: own) == 1)
  }

  private func reference(_ service: String, _ session: MemoryInspection) throws -> ItemReference? {
    try session.app.storedItem(for: GenericPassword(service: service, account: "jane")).flatMap {
      ItemReference($0.reference)
    }
  }
}
