internal import ArgumentParser
internal import Coffer
internal import CofferTerminal
internal import CofferVault
internal import CofferTrust
internal import Foundation

struct AppAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Register an app, or a changed plist of it, and give it a credential on this machine.",
    discussion: "The app may then use the access groups in its plist, on this machine and on machines cloned later.")
  @Argument(help: ArgumentHelp("The app's entitlements plist.", valueName: "file.entitlements"), completion: .file())
  var file: String
  @Option(help: ArgumentHelp("The value of $(CFBundleIdentifier).", valueName: "id"))
  var bundleID: String?
  @Option(
    help: ArgumentHelp(
      "A literal team prefix in the plist, such as ABCDE12345, to replace by this vault's prefix.", valueName: "prefix")
  )
  var sourcePrefix: String?
  @Flag(
    inversion: .prefixedNo,
    help: ArgumentHelp(
      "Protect the app's credential on each machine with that machine's passphrase.",
      discussion: "The vault is then locked for the app until the passphrase is entered. Default: unchanged."))
  var locked: Bool?
  @OptionGroup var passphrase: PassphraseOptions
  @OptionGroup var claims: ClaimOptions

  func run() throws {
    let plist = try readEntitlements(at: URL(fileURLWithPath: file), missing: .invalidArgument)
    let local = try LocalVault.open(VaultFolder(.standard()))
    // The passphrase is asked for once, even if the change is repeated because another machine's came first.
    let registration = AppRegistration(
      local, passphrase: passphrase.source(of: local).rememberingFirst(), despiteClaims: claims.despiteClaims)
    var outcome: AppRegistration.Outcome?
    try SyncProgram.withMembershipChange(local) { () throws(VaultError) in
      let registered = try registration.register(
        plist: plist, source: file, bundleID: bundleID, sourcePrefix: sourcePrefix, requiresPassphrase: locked)
      outcome = registered
      return registered.position
    } install: { () throws(VaultError) in
      try outcome?.credential?.install(in: local)
    }
    guard let outcome else { return }
    try Output.line("\(outcome.application) \(outcome.isChanged ? "is registered" : "was already registered").")
    for group in outcome.entitlements.groups {
      let notes = [
        group.access == .readOnly ? "read only" : "", group.name == outcome.entitlements.defaultGroup ? "default" : "",
      ].filter { !$0.isEmpty }
      try Output.line("    \(group.name)\(notes.isEmpty ? "" : "  (\(notes.joined(separator: ", ")))")")
    }
  }
}
