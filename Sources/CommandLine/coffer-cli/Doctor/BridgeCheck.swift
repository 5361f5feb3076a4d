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
          message: "A part of the bridge is missing: \(setting.place).", fix: fix(of: setting, bridge)))
    }
    if missing.count < settings.count { found += missing }
    return try found + bridge.findings()
  }

  /// How a part is put back. What is in its place goes first, as an installation would say.
  private func fix(of part: any BridgeSetting, _ bridge: any Bridge.Type) -> String {
    do throws(VaultError) {
      try part.checkIsFree()
      return "Run `coffer bridge install \(bridge.name)` again, or `coffer bridge remove \(bridge.name)`."
    } catch {
      let reason = error.message.replacing("; nothing was changed", with: "").asSentence
      let first = error.recoverySuggestion?.replacing(", then try again", with: "").asSentence ?? ""
      return "\(reason) \(first) Then run: coffer bridge install \(bridge.name)"
    }
  }
}
