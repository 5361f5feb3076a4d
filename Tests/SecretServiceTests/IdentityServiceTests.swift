#if os(Linux)
  import CofferTestSupport
  import Foundation
  import Testing

  /// Which collection programs get from the service, over a real bus.
  @Suite struct IdentityServiceTests {
    private static var canHaveGroups: Bool {
      geteuid() == 0 && (try? Command.run("sh", "-c", "getent group games | grep -q :$")) != nil
    }

    @Test func `Programs outside of a sandbox have one collection, whatever they say they are`() throws {
      let desktop = try IdentityDesktop()
      try desktop.machine.makeVault()
      try desktop.machine.coffer("app", "add", "--desktop", "org.example.App")
      #expect(try desktop.collection() == "coffer.desktop")
      let lies = [
        "FLATPAK_ID": "org.example.App", "container": "flatpak", "SNAP_NAME": "firefox",
        "SNAP_INSTANCE_NAME": "firefox",
        "COFFER_APP": "desktop.flatpak.org.example.App", "GIO_LAUNCHED_DESKTOP_FILE": "org.example.App.desktop",
      ]
      #expect(try desktop.collection(environment: lies) == "coffer.desktop")
      let named = desktop.machine.directory.path("org.example.App")
      try Command.run("cp", "/usr/bin/dbus-send", named)
      #expect(try desktop.collection(as: named) == "coffer.desktop")
      // Also one whose working directory has such a file.
      let info = try desktop.machine.directory.write(".flatpak-info", "[Application]\nname=org.example.App\n")
      let there = ["/usr/bin/env", "--chdir=\(URL(fileURLWithPath: info).deletingLastPathComponent().path)"]
      #expect(try desktop.collection(there) == "coffer.desktop")
    }

    @Test(.enabled(if: IdentityDesktop.hasSandboxes))
    func `A Flatpak with an app has its own collection, and so has whoever builds its sandbox: it is advisory`() throws
    {
      let desktop = try IdentityDesktop()
      try desktop.machine.makeVault()
      try desktop.machine.coffer("app", "add", "--desktop", "org.example.App_1")
      #expect(try desktop.collection(desktop.sandbox("org.example.App_1")) == "desktop.flatpak.org.example.App-5F-1")
      #expect(try desktop.machine.coffer("why", "desktop.flatpak.org.example.App-5F-1").contains("[ok]"))
      let why = try desktop.machine.coffer(
        "why", "desktop.flatpak.org.example.App-5F-1", "desktop.flatpak.org.example.App-5F-1")
      #expect(why.contains("the Flatpak org.example.App_1 (advisory: "), "\(why)")
    }

    @Test(.enabled(if: canHaveGroups))
    func `A setgid program has the collection of its group, and a copy or one without privileges has not`() throws {
      let desktop = try IdentityDesktop()
      try desktop.machine.makeVault()
      try desktop.machine.coffer("app", "add", "--desktop", "games", "--system-group")
      let program = desktop.machine.directory.path("setgid")
      try Command.run(
        "sh", "-c", "cp /usr/bin/dbus-send \"$1\" && chgrp games \"$1\" && chmod 2755 \"$1\"", "sh", program)
      #expect(try desktop.collection(as: program) == "desktop.group.games")
      let copy = desktop.machine.directory.path("copy")
      try Command.run("cp", program, copy)
      #expect(try desktop.collection(as: copy) == "coffer.desktop")
      #expect(try desktop.collection(["/usr/bin/setpriv", "--no-new-privs"], as: program) == "coffer.desktop")
      let list = try desktop.machine.coffer("app", "list")
      #expect(list.contains("on the bus: medium"), "\(list)")
    }

    @Test(.enabled(if: IdentityDesktop.hasSandboxes))
    func `A sandboxed program without an app never gets the collection of the others`() throws {
      let desktop = try IdentityDesktop()
      try desktop.machine.makeVault()
      let found = try desktop.collection(desktop.sandbox("org.example.Unknown"))
      #expect(!found.contains("coffer.desktop"), "\(found)")
      #expect(!(try desktop.machine.coffer("app", "list")).contains("org.example.Unknown"))
    }

    @Test(.enabled(if: IdentityDesktop.hasSandboxes))
    func `A sandbox whose file cannot be understood is refused`() throws {
      let desktop = try IdentityDesktop()
      try desktop.machine.makeVault()
      let wrapper = try desktop.sandbox("org.example.App")
      try Data("[Application]\n".utf8).write(to: URL(fileURLWithPath: "\(wrapper[2])/.flatpak-info"))
      let answer = try desktop.collection(wrapper)
      #expect(answer.contains("AccessDenied") && answer.contains("does not name one application"), "\(answer)")
    }
  }
#endif
