internal import CofferAdministration
internal import CofferInspection
internal import CofferPlatform
internal import CofferTerminal
internal import CofferVault

/// A clock that is behind what the machines of the vault have signed. What this machine writes would then lose against older
/// versions.
struct ClockCheck: DoctorCheck {
  static let name = "clock"

  /// How far two clocks that are set may be apart, in seconds.
  private static let tolerance = 300.0

  func findings(in scene: DoctorScene) throws(VaultError) -> [Finding] {
    let status = scene.overview.status
    let writes = status.machines.compactMap { machine in machine.lastWrite.map { (machine.name, $0) } }
    return ([("the membership log", status.logTime)] + writes).max { $0.1 < $1.1 }
      .flatMap { Self.finding(writer: $0, wrote: $1, now: status.time) }.map { [$0] } ?? []
  }

  /// What is found if the latest that anybody has written is of a time.
  static func finding(writer: String, wrote time: Date, now: Date) -> Finding? {
    guard time.timeIntervalSince(now) > tolerance else { return nil }
    return Finding(
      .clock, .problem, subject: "the clock of this machine",
      message: """
        It shows \(Output.date(now)), but what \(writer) has written last is of \(Output.date(time)). One of the two clocks is \
        wrong.
        """,
      fix: "Compare it with `date -u` on another machine, and set it with: sudo timedatectl set-ntp true")
  }
}
