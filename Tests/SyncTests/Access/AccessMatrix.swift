import CofferTestSupport

/// Who can do what with the items of an access group: the table of the page `AccessMatrix.md`.
enum AccessMatrix {
  /// What somebody tries.
  enum Action: String, CaseIterable {
    case readOld = "Read old"
    case readNew = "Read new"
    case list = "List"
    case write = "Write"
    case update = "Update"
    case delete = "Delete"
    case sync = "Sync"
    case changeMembership = "Change membership"
  }

  /// What comes of it.
  enum Result: Equatable, CustomStringConvertible {
    /// It is done, and every other machine accepts it.
    case yes
    /// It is done in the files of this machine, and no other machine accepts it.
    case hereOnly
    /// The item is not there, and there is no error.
    case nothing
    /// It fails with the error of this code.
    case error(String)

    /// The result of a program: its exit code does not tell more.
    init?(_ outcome: Machine.Outcome) {
      switch outcome.exitCode {
      case 0: self = .yes
      case 1 where outcome.errors.contains("has a headless credential, which only reads"): self = .error("readOnly")
      case 4: self = .error("notEntitled")
      case 6: self = .error("integrity")
      default: return nil
      }
    }

    var description: String {
      switch self {
      case .yes: "yes"
      case .hereOnly: "here only"
      case .nothing: "no item"
      case .error(let code): "`\(code)`"
      }
    }
  }

  /// What each actor can do, in the order of ``Action``.
  static let expected: [(actor: AccessActor, results: [Result])] = [
    (.entitled, [.yes, .yes, .yes, .yes, .yes, .yes, .yes, .yes]),
    (.readOnly, [.yes, .yes, .yes, denied, denied, denied, .yes, .yes]),
    (.notEntitled, [denied, denied, denied, denied, denied, denied, .yes, .yes]),
    (.foreignTeam, [denied, denied, denied, denied, denied, denied, .yes, .yes]),
    (.editedPlist, [denied, denied, denied, denied, denied, denied, .yes, .yes]),
    (.member, [.yes, .yes, .yes, .yes, .yes, .yes, .yes, denied]),
    (.removedAdmin, [.yes, .yes, .yes, .yes, .yes, .yes, .yes, denied]),
    (.removedApp, [denied, denied, denied, denied, denied, denied, .yes, .yes]),
    (.revokedDevice, [.yes, .nothing, .yes, denied, denied, denied, denied, denied]),
    (.copyFromBefore, [.yes, .nothing, .yes, .hereOnly, .hereOnly, .hereOnly, denied, denied]),
    (.headless, [.yes, .yes, .yes, denied, denied, denied, readOnly, readOnly]),
    (.expired, [denied, denied, denied, denied, denied, denied, readOnly, readOnly]),
    (.forgedStatement, [denied, denied, denied, denied, denied, denied, altered, .yes]),
    (.nonAdminStatement, [denied, denied, denied, denied, denied, denied, altered, .yes]),
    (.replayedStatement, [denied, denied, denied, denied, denied, denied, altered, .yes]),
  ]

  private static let denied = Result.error("notEntitled")
  private static let readOnly = Result.error("readOnly")
  private static let altered = Result.error("integrity")

  /// The table in Markdown, a line each.
  static var lines: [String] {
    let header = ["Who"] + Action.allCases.map(\.rawValue)
    let rows = expected.map { [$0.actor.rawValue] + $0.results.map(\.description) }
    return ([header, header.map { _ in "---" }] + rows).map { "| " + $0.joined(separator: " | ") + " |" }
  }
}
