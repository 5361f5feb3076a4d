import CofferTestSupport
import Foundation
import Testing

@Suite struct DemoTests {
  @Test(.enabled(if: PrivateSystem.isAvailable, "only root can install the apps of the demo"))
  func `Each step of the demo gives the result that it expects`() throws {
    let machine = try Machine()
    let demo = DocumentationPage.root.appending(path: "Scripts/demo").path
    let run = try machine.start(
      demo, ["--programs", Machine.programs.path], environment: ["TMPDIR": machine.directory.path]
    ).wait()
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.text.contains("Both are synced at the head phrase"))
    #expect(run.text.contains("The third program read the purchase as long as the apps were not installed"))
  }
}
