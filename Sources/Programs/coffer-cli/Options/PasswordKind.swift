internal import ArgumentParser

/// A class of passwords, as `--class` of the commands names it that take two names.
enum PasswordKind: String, CaseIterable, ExpressibleByArgument {
  case generic = "generic-password"
  case `internet` = "internet-password"
}
