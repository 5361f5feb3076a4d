internal import Foundation

/// A Wayland compositor without a screen (sway), for programs that use the clipboard.
package final class VirtualWayland {
  /// The environment of programs on it.
  package let environment: [String: String]
  private let folder: TemporaryDirectory
  private let compositor: SpawnedProgram

  /// Starts a compositor.
  package init() throws {
    folder = try TemporaryDirectory()
    let path = folder.path
    try folder.write("config", "xwayland disable\n", permissions: 0o644)
    // It refuses to run as root, which can connect to the socket of another user.
    var command = ["sway", "--config", folder.path("config")]
    if geteuid() == 0 {
      try Command.run("chown", "nobody", path)
      command = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] + command
    }
    let variables = [
      "HOME=\(path)", "XDG_RUNTIME_DIR=\(path)", "WLR_BACKENDS=headless", "WLR_RENDERER=pixman",
      "WLR_LIBINPUT_NO_DEVICES=1",
    ]
    compositor = try SpawnedProgram(["env"] + variables + command)
    let deadline = ContinuousClock.now + longestWait
    while true {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
      if names.contains(where: { $0.hasPrefix("sway-ipc.") }),
        let name = names.first(where: { $0.wholeMatch(of: /wayland-[0-9]+/) != nil })
      {
        environment = ["XDG_RUNTIME_DIR": path, "WAYLAND_DISPLAY": name]
        return
      }
      guard compositor.isRunning, ContinuousClock.now < deadline else {
        throw SpawnedProgram.Failure(description: "sway does not start")
      }
      Thread.sleep(forTimeInterval: 0.01)
    }
  }

  deinit { compositor.end(signal: 9) }
}
