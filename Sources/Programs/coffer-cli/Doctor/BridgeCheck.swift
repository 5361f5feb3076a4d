internal import CofferVault

/// Installed bridges that other programs do not find, or that run a program that is gone.
struct BridgeCheck: DoctorCheck {
  static let name = "bridges"

  func findings(in scene: DoctorScene) throws(VaultError) -> [Finding] {
    var findings: [Finding] = []
    for bridge in Bridges.all {
      let settings = try bridge.anySettings()
      var missing: [Finding] = []
      for setting in settings {
        findings += try setting.findings()
        guard try setting.present().isEmpty else { continue }
        missing.append(
          Finding(
            severity: .problem, subject: "coffer bridge \(bridge.name)",
            message: "A part of the bridge is missing: \(setting.place).",
            fix: "Run `coffer bridge install \(bridge.name)` again, or `coffer bridge remove \(bridge.name)`."))
      }
      if missing.count < settings.count { findings += missing }
      findings += try bridge.findings()
    }
    return findings
  }
}
