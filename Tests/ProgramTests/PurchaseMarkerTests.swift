import CofferTestSupport
import Foundation
import Testing

@Suite struct PurchaseMarkerTests {
  @Test func `The free app unlocks once the paid app has written the marker, which it cannot forge`() throws {
    let machine = try Machine()
    try machine.makeVault()
    try machine.register("PhotoFree")
    try machine.register("PhotoPro")

    #expect(try machine.succeed("PhotoFree") == "free: 3 filters")
    #expect(try machine.run("PhotoFree", "forge").errors.contains("not write"))
    #expect(try machine.succeed("PhotoFree") == "free: 3 filters")
    try machine.succeed("PhotoPro", ["buy"])
    #expect(try machine.succeed("PhotoFree").hasPrefix("Pro unlocked"))
    #expect(try machine.run("PhotoFree", "peek").errors.contains("not entitled"))
  }
}
