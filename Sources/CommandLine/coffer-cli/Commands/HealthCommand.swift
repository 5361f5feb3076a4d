internal import ArgumentParser
internal import Coffer
internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct HealthCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "health", abstract: "Find passwords that are common, weak, used more than once, or old.",
    discussion: """
      Opens the passwords that the owner or the app reads, one by one, compares them on this machine, and prints names only. \
      Values that need a further secret stay closed. Items with the same password have the same number. The bits are an \
      estimate of how hard a password is to guess; fewer than \(PasswordStrength.fairBits) are weak. Old is what was not \
      changed for \(PasswordHealth.oldDays / 365) years.
      """)
  @OptionGroup var output: ReportOptions
  @OptionGroup var actor: ActorOptions

  func run() throws {
    let vault = try actor.open(for: .reading(nil))
    let health = try InspectedVault(vault).passwordHealth()
    guard !output.json else { return try Output.json(object: Self.json(health)) }
    let groups = try ShownNames(vault.local)
    var rows: [[String]] = []
    for problem in PasswordHealth.Problem.allCases {
      for (index, passwords) in health.passwords(with: problem).enumerated() {
        for password in passwords {
          let row = password.row
          rows.append([
            problem == .reused ? "reused \(index + 1)" : problem.rawValue, password.strength.label,
            groups.group(row.group), Output.name(row.title), Output.name(row.subtitle.isEmpty ? "-" : row.subtitle),
            Output.date(row.modified),
          ])
        }
      }
    }
    if !rows.isEmpty {
      try Output.table(
        [["PROBLEM", "STRENGTH", "GROUP", "SERVICE", "ACCOUNT", "MODIFIED"]] + rows,
        fitting: [.whole, .whole, .ending, .name, .name, .date])
    }
    let omissions = health.omissions.isEmpty ? "" : "; not looked at: \(list(health.omissions))"
    Terminal.printNote("\(counted(health.examinedCount, "password")) compared\(omissions)")
  }

  private static func json(_ health: PasswordHealth) -> JSONObject {
    [
      "examinedCount": health.examinedCount, "protectedCount": health.protectedCount, "otherCount": health.otherCount,
      "damagedCount": health.damagedCount, "unreadableGroupCount": health.unreadableGroupCount,
      "reused": health.passwords(with: .reused).map { $0.map(json) }, "common": rows(.common, health),
      "weak": rows(.weak, health), "old": rows(.old, health),
    ]
  }

  private static func rows(_ problem: PasswordHealth.Problem, _ health: PasswordHealth) -> [JSONObject] {
    health.passwords(with: problem).flatMap(\.self).map(json)
  }

  private static func json(_ password: PasswordHealth.Password) -> JSONObject {
    let row = password.row
    let object: JSONObject = [
      "class": row.kind.argument, "reference": row.reference.path, "group": row.group, "modified": row.modified,
      "bits": password.strength.bits, "isCommon": password.strength.isCommon,
    ]
    return object.including(row.names)
  }
}
