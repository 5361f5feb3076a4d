import CofferTestSupport
import Foundation
import Testing

/// An app on a machine: a copy of KeychainProgram with its own entitlements next to it.
struct InstalledApp {
  let machine: Machine
  let name: String
  /// The executable's path.
  let program: String

  var bundleID: String { "com.example.\(name)" }

  /// Installs the app, and registers its plist if `isRegistered`.
  ///
  /// In `groups`, the keychain groups, `~` stands for the team's prefix; if nil, the app has one group with its name.
  /// `options` are further arguments of `coffer app add`.
  init(
    _ name: String, on machine: Machine, groups: [String]? = nil, readOnly: [String] = [], isRegistered: Bool = true,
    options: [String] = []
  ) throws {
    self.machine = machine
    self.name = name
    program = machine.directory.path(name)
    // A hard link serves as a copy and needs no space; a program is identified by the path it was started with.
    try Command.run(
      "sh", "-c", "ln \"$1\" \"$2\" || cp \"$1\" \"$2\"", "sh", Machine.path(of: "KeychainProgram"), program)
    let plist = try Self.plist(name, in: machine, groups: groups ?? ["~com.example.\(name)"], readOnly: readOnly)
    if isRegistered { try machine.succeed("coffer", ["app", "add", plist] + options) }
  }

  /// Writes the plist next to the executable and returns its path.
  @discardableResult
  static func plist(
    _ name: String, in machine: Machine, groups: [String], readOnly: [String] = [], as file: String? = nil
  ) throws -> String {
    try machine.directory.write(
      "\(file ?? name).entitlements",
      entitlementsPlist("com.example.\(name)", groups: groups, readOnly: readOnly))
  }

  /// Runs the app to its end.
  func run(
    _ arguments: String..., input: String = "", environment: [String: String] = [:]
  ) throws -> Machine.Outcome {
    try machine.start(program, arguments, input: Data(input.utf8), environment: environment).wait()
  }

  /// Runs the app and returns its output; throws unless it exits with 0.
  @discardableResult
  func succeed(_ arguments: String..., input: String = "") throws -> String {
    try machine.succeed(program, arguments, input: input)
  }

  /// Runs the app on a new pseudo-terminal.
  func atTerminal(_ arguments: String...) throws -> PseudoTerminal {
    try PseudoTerminal(machine, program: program, arguments)
  }
}

extension Machine {
  /// Returns one field of `coffer status --json` as text.
  func status(_ field: String) throws -> String {
    let object = try JSONSerialization.jsonObject(with: Data(coffer("status", "--json").utf8)) as? [String: Any]
    return object?[field].map { "\($0)" } ?? "none"
  }

  /// Returns a group's full name.
  func group(_ name: String) throws -> String { try "\(status("team")).com.example.\(name)" }
}

/// Expects that a Keychain call failed with this status and an explanation that contains `parts`.
func expectFailure(
  _ outcome: Machine.Outcome, _ status: Int, of call: String = "SecItemCopyMatching", _ parts: String...,
  at location: SourceLocation = #_sourceLocation
) {
  #expect(outcome.exitCode == 1, "\(outcome)", sourceLocation: location)
  #expect(outcome.errors.hasPrefix("\(call): \(status) "), "\(outcome)", sourceLocation: location)
  #expect(outcome.output.isEmpty, "\(outcome)", sourceLocation: location)
  for part in parts { #expect(outcome.errors.contains(part), "\(outcome)", sourceLocation: location) }
}

/// Apple's numbers of statuses.
enum Status {
  static let userCanceled = -128
  static let notAvailable = -25291
  static let authFailed = -25293
  static let duplicateItem = -25299
  static let itemNotFound = -25300
  static let interactionNotAllowed = -25308
  static let missingEntitlement = -34018
}
