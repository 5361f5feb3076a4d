internal import Coffer
internal import CofferAdministration
internal import CofferInspection
internal import CofferVault

/// One kind of what `coffer doctor` examines. It reads, and changes nothing.
protocol DoctorCheck: Sendable {
  /// The word for it in the output.
  static var name: String { get }

  /// Examines the machine. `scene` is what all checks look at.
  func findings(in scene: DoctorScene) throws(VaultError) -> [Finding]
}

/// What the checks look at.
struct DoctorScene: Sendable {
  let local: LocalVault
  let facts: AccessFacts
  let overview: Overview

  static func read(_ local: LocalVault) throws(VaultError) -> DoctorScene {
    DoctorScene(
      local: local, facts: try AccessFacts.read(from: local),
      overview: try Overview.read(from: local, checksStore: false))
  }
}
