import CofferTestSupport
import Foundation
import Testing

/// The names of machines that are enrolled with a name that another machine has.
@Suite struct MachineNameTests {
  @Test func `A machine with a name that is in use gets a number, and the clone says so`() throws {
    let suite = try TwoMachines()
    func clone(_ arguments: String...) throws -> Machine.Outcome {
      let machine = try Machine()
      return try machine.start(
        "coffer", ["clone", "--no-passphrase", "--vault-key-file", suite.key] + arguments + [suite.remote.path]
      ).wait()
    }
    let second = try clone("--name", "laptop")
    #expect(second.exitCode == 0 && second.text.contains("The name laptop is in use; this machine is laptop-2."))
    let third = try clone("--name", "laptop")
    #expect(third.text.contains("this machine is laptop-3."), "\(third)")
    #expect(try !clone("--name", "other").text.contains("is in use"))
    // The number fits into the longest name.
    let longest = String(repeating: "é", count: 64)
    #expect(try clone("--name", longest).exitCode == 0)
    let shortened = String(repeating: "é", count: 63) + "-2"
    #expect(try clone("--name", longest).text.contains("this machine is \(shortened)."))
    try suite.laptop.sync()
    let names = try suite.laptop.status("machines")
    for name in ["laptop-2", "laptop-3", "other"] { #expect(names.contains(name)) }
  }
}
