internal import CofferTestSupport
internal import Foundation
internal import LocalAuthentication
internal import Synchronization
internal import Testing

/// GnuPG's dialog programs with windows, on a display in memory.
@Suite struct DesktopPinentryTests {
  @Test(arguments: ["pinentry-gtk-2", "pinentry-qt", "pinentry-fltk"])
  func `A real dialog on a display without a terminal returns what is typed into its window`(_ name: String) throws {
    let program = try #require(VirtualDesktop.path(of: name), "run Scripts/bootstrap --with desktop")
    let desktop = try VirtualDesktop()
    let folder = try TemporaryDirectory()
    // Without a terminal and with this display only, as a program that the desktop starts.
    let dialog = try folder.writeScript(
      "dialog",
      "export DISPLAY=\(desktop.display); unset WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS; exec setsid '\(program)'")
    let prompter = PinentryPrompter(program: dialog)
    let answer = Mutex<AuthenticationAnswer?>(nil)
    let request = AuthenticationRequest(secret: .passphrase, reason: "to show the diary")
    // Typed keys can be lost while the window opens, so what counts is that the text arrives in the end.
    for _ in 0..<10 {
      answer.withLock { $0 = nil }
      Thread.detachNewThread {
        let given = prompter.ask(request)
        answer.withLock { $0 = given }
      }
      try desktop.type("sesame", while: { answer.withLock { $0 == nil } })
      let text = answer.withLock(\.self)?.text
      try #require(text != nil, "\(name) shows no dialog")
      if text == "sesame" { return }
    }
    Issue.record("\(name) did not return the text")
  }
}
