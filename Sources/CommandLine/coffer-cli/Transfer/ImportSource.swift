internal import ArgumentParser
internal import CofferSystem

/// A program or a format that `coffer import` reads.
enum ImportSource: String, CaseIterable, ExpressibleByArgument {
  case pass, gopass, passage, keepassxc, bitwarden, csv, cxf
  case onePassword = "1password"
  case secretService = "secret-service"
  case securityDump = "security-dump"
  case dotenv, json

  /// Whether it is read from a file or folder.
  var needsPath: Bool { self != .secretService }

  /// How a person removes what was imported from the source, which Coffer never does. `path` is what was read.
  func cleaningAdvice(for path: String?) -> String {
    switch self {
    case .pass, .gopass, .passage:
      "When you have checked the items, delete the store with: rm -r \((path ?? "").shellWord)"
    case .secretService:
      "Programs find the items once Coffer is the Secret Service: coffer secret-service install. Then delete them in the program of the keyring, such as seahorse"
    case .dotenv: "When the project runs with coffer run, delete the file or replace its values by references"
    default:
      "The exported file has all secrets in plain text: delete it with: rm \((path ?? "").shellWord), and then the entries in the other program"
    }
  }
}
