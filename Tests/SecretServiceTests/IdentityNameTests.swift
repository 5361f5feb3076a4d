import CofferTrust
import CofferVault
import Testing

/// The apps that stand for programs of the desktop.
@Suite struct IdentityNameTests {
  @Test(
    arguments: [
      (DesktopProgram.flatpak("org.gnome.Fractal"), "desktop.flatpak.org.gnome.Fractal"),
      (.flatpak("io.github.a_b.C"), "desktop.flatpak.io.github.a-5F-b.C"), (.snap("firefox"), "desktop.snap.firefox"),
      (.snap("name_1"), "desktop.snap.name-5F-1"), (.group("_ssh"), "desktop.group.-5F-ssh"),
      (.group("onepassword-cli"), "desktop.group.onepassword-cli"), (.other, "coffer.desktop"),
    ])
  func `A program has an app, by which it is found again`(_ program: DesktopProgram, _ identifier: String) throws {
    let bundleID = try #require(program.bundleID)
    #expect(bundleID.description == identifier)
    #expect(DesktopProgram(bundleID) == program)
  }

  @Test(arguments: [
    "", "a b", "a/b", "org..App", "a\u{301}.b", "a-5F-b.C", "a_5F.C", "../x", String(repeating: "a", count: 201),
  ])
  func `A name that no app can have, or that could be another program's, has none`(_ name: String) {
    #expect(DesktopProgram.flatpak(name).bundleID == nil)
  }

  @Test(arguments: ["com.example.app", "desktop.other.name", "desktop.flatpak", "coffer.personal", "desktop.snapx.a"])
  func `Every other app stands for no program`(_ identifier: String) throws {
    #expect(DesktopProgram(try #require(BundleID(identifier))) == nil)
  }

  @Test func `What an app rests on is said with its strength`() {
    #expect(DesktopProgram.flatpak("a.b").sentence.contains("advisory: a Flatpak's name is told by a file"))
    #expect(DesktopProgram.group("g").sentence.contains("medium: the kernel records the group"))
    #expect(DesktopProgram.flatpak("a.b").strength == .advisory && DesktopProgram.group("g").strength == .medium)
  }
}
