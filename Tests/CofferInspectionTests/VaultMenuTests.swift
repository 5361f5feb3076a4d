import Coffer
import CofferInspection
import Foundation
import Testing

@Suite struct VaultMenuTests {
  @Test func `The menu has the groups that can be read with their items, as they are now`() throws {
    let session = try TemporaryInspection()
    let name = GenericPassword(service: "service", account: "account")
    #expect(try session.vault.menu().groups.map(\.itemCount) == [0, 0])
    try session.app.add("v", for: name)
    try session.app.add("v", for: InternetPassword(server: "s", account: "a"))
    try session.app.add("v", for: name, in: "com.example.shared")
    let menu = try session.vault.menu()
    #expect(menu.groups.map(\.title) == ["com.example.one", "com.example.shared"])
    #expect(menu.groups.map(\.name) == (try ["com.example.one", "com.example.shared"].map { try session.group($0) }))
    #expect(menu.groups.map(\.itemCount) == [2, 1] && menu.conflictCount == 0)
    #expect(menu.team == (try session.vault.team) && menu.groups[0].name == "\(menu.team).com.example.one")
    try session.write {
      try session.app.set("here", for: name)
    } _: {
      try $0.set("there", for: name)
    }
    #expect(try session.vault.menu().conflictCount == 1)
    try session.app.delete(name, in: "com.example.shared")
    #expect(try session.vault.menu().groups.map(\.itemCount) == [2, 0])
  }

  @Test func `The menu has no group of other apps`() throws {
    let fixture = try TemporaryVault()
    let one = try fixture.app("com.example.one", groups: ["~com.example.one"])
    try fixture.register("com.example.two", groups: ["~com.example.two"])
    let vault = InspectedVault(vault: one, local: one.local)
    #expect(try vault.menu().groups.map(\.title) == ["com.example.one"])
    #expect(try fixture.inspected().menu().groups.map(\.title) == ["com.example.one", "com.example.two"])
  }
}
