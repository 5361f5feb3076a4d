import Coffer
import CofferAdministration
import CofferSystem
import CofferTestSupport
import CofferVault
import Foundation
import Testing

@testable import CofferInspectProgram
@testable import CofferInspection

/// Machines of which nobody has heard for long, on the pages that list machines.
@Suite struct SilentMachineTests {
  private let local: LocalVault
  private let machine: Machine

  init() throws {
    machine = try Machine()
    try machine.makeVault(name: "laptop")
    try machine.register("PhotoFree")
    _ = try machine.enrolMember("<i>desktop</i>", with: "com.example.photo.free")
    local = try LocalVault.open(VaultFolder(machine.vault))
  }

  /// The pages' markup of both machines after a number of days.
  private func pages(afterDays days: Double) throws -> [String] {
    let now = Date().addingTimeInterval(days * 86_400 + 60)
    let list = MachineListPage(
      machines: try AccessFacts.read(from: local).machines, removed: [], names: TeamNames(team: ""), now: now)
    let signs = LastSignCard(status: try VaultStatus.read(from: local), now: now)
    return [list.page.content.source, signs.html.source]
  }

  @Test func `A machine is marked after 30 days without a sign of life, and this machine never is`() throws {
    for page in try pages(afterDays: 29) { #expect(!page.contains("Silent for") && page.contains("desktop")) }
    for page in try pages(afterDays: 45) {
      #expect(page.components(separatedBy: "Silent for 45 days").count == 2, "\(page)")
      #expect(!page.contains("<i>"))
    }
  }

  @Test func `A machine's last sign of life is shown with its age, and this machine is not in the list of signs`()
    throws
  {
    try machine.coffer("set", "service", "jane", "--app", "com.example.photo.free", input: "v")
    let pages = try pages(afterDays: 2)
    #expect(pages[0].contains("</time> (2 days ago)") && pages[0].contains("none since its enrolment"))
    #expect(pages[1].contains("none since its enrolment") && !pages[1].contains("laptop"))
  }
}
