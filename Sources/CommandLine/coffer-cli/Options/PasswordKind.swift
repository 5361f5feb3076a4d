internal import ArgumentParser

/// A class of passwords, as `--class` of the commands names it that take two names.
enum PasswordKind: String, CaseIterable, ExpressibleByArgument {
  case generic = "generic-password"
  case `internet` = "internet-password"

  /// Takes the class as JSON names it, and its first word.
  init?(argument: String) {
    guard let kind = Self.allCases.first(where: { $0.rawValue == argument || $0.rawValue == argument + "-password" })
    else { return nil }
    self = kind
  }
}
