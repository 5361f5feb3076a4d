internal import CofferSystem
internal import CofferVault

/// Installed bridges that other programs do not find, or that run a program that is gone.
struct BridgeCheck: DoctorCheck {
  static let name = "bridges"

  func findings(in scene: DoctorScene) -> [Finding] {
    Bridges.all.flatMap { bridge in
      do throws(VaultError) {
        return try findings(of: bridge)
      } catch {
        // Without the file, nobody knows whether the bridge is installed.
        let isInstalled = (try? bridge.installedCommand()) != nil
        return [
          Finding(
            .bridgeFile, isInstalled ? .problem : .advice, subject: "coffer bridge \(bridge.name)",
            message: error.message.asSentence,
            fix: error.recoverySuggestion?.asSentence ?? "Run: coffer bridge install \(bridge.name)")
        ]
      }
    }
  }

  private func findings(of bridge: any Bridge.Type) throws(VaultError) -> [Finding] {
    let settings = try bridge.anySettings()
    var found: [Finding] = []
    var missing: [Finding] = []
    for setting in settings {
      found += try setting.findings()
      guard try setting.present().isEmpty else { continue }
      missing.append(
        Finding(
          .bridgePart, .problem, subject: "coffer bridge \(bridge.name)",
          message: "A part of the bridge is missing: \(setting.place).",
          fix: "Run `coffer bridge install \(bridge.name)` again, or `coffer bridge remove \(bridge.name)`."))
    }
    if missing.count < settings.count { found += missing }
    return try found + bridge.findings()
  }
}
