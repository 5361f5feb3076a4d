import CofferTestSupport
import Foundation
import Testing

/// An app on a machine: a copy of KeychainProgram, with entitlements of its own beside it.
struct App {
  let machine: Machine
  let name: String
  /// The executable's path.
  let program: String

  var bundleID: String { "com.example.\(name)" }

  /// Installs the app; its plist is registered where `isRegistered`.
  ///
  /// - Parameters:
  ///   - groups: The keychain groups; `~` stands for the team's prefix. Nil: one that is named like the app.
  ///   - options: What `coffer app add` is given beside the plist.
  init(
    _ name: String, on machine: Machine, groups: [String]? = nil, readOnly: [String] = [], isRegistered: Bool = true,
    options: [String] = []
  ) throws {
    self.machine = machine
    self.name = name
    program = machine.directory.path(name)
    // A link serves as a copy, which needs room; a program is known by the path that it was started by.
    try Command.run(
      "sh", "-c", "ln \"$1\" \"$2\" || cp \"$1\" \"$2\"", "sh", Machine.path(of: "KeychainProgram"), program)
    let plist = try Self.plist(name, in: machine, groups: groups ?? ["~com.example.\(name)"], readOnly: readOnly)
    if isRegistered { try machine.succeed("coffer", ["app", "add", plist] + options) }
  }

  /// Writes the plist beside the executable and returns its path.
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

  /// Runs the app at a terminal of its own.
  func atTerminal(_ arguments: String...) throws -> PseudoTerminal {
    try PseudoTerminal(machine, program: program, arguments)
  }
}

extension Machine {
  /// One field of `coffer status --json`, as text.
  func status(_ field: String) throws -> String {
    let object = try JSONSerialization.jsonObject(with: Data(coffer("status", "--json").utf8)) as? [String: Any]
    return object?[field].map { "\($0)" } ?? "none"
  }

  /// A group's full name.
  func group(_ name: String) throws -> String { try "\(status("team")).com.example.\(name)" }
}

/// Expects that a Keychain call failed with this status, and said why in words that hold `parts`.
func expectFailure(
  _ outcome: Machine.Outcome, _ status: Int, of call: String = "SecItemCopyMatching", _ parts: String...,
  at location: SourceLocation = #_sourceLocation
) {
  #expect(outcome.exitCode == 1, "\(outcome)", sourceLocation: location)
  #expect(outcome.errors.hasPrefix("\(call): \(status) "), "\(outcome)", sourceLocation: location)
  #expect(outcome.output.isEmpty, "\(outcome)", sourceLocation: location)
  for part in parts { #expect(outcome.errors.contains(part), "\(outcome)", sourceLocation: location) }
}

/// Apple's numbers, as a caller knows them.
enum Status {
  static let userCanceled = -128
  static let notAvailable = -25291
  static let authFailed = -25293
  static let duplicateItem = -25299
  static let itemNotFound = -25300
  static let interactionNotAllowed = -25308
  static let missingEntitlement = -34018
}
