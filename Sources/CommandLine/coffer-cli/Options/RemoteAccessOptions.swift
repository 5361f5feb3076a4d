internal import ArgumentParser
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

/// How to reach the remote: `coffer-sync` reads the same options.
struct RemoteAccessOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Trust the certificate authorities in this file, in PEM form, instead of those of the system, for https://.",
      valueName: "file"), completion: .file())
  var caFile: String?
  @Flag(help: "Allow http:// to another machine: everybody on the way sees who syncs when, and can disturb it.")
  var insecureHttp = false
  @Option(
    help: ArgumentHelp(
      "The time for connecting, for which the remote may be silent, and for which to wait for another sync. Default: 30, 60 and 120.",
      valueName: "seconds"))
  var timeout: Int?

  /// The options of a command line without any, for a command that ArgumentParser has not read.
  static var defaults: RemoteAccessOptions {
    var options = RemoteAccessOptions()
    options.caFile = nil
    options.insecureHttp = false
    options.timeout = nil
    return options
  }

  func validate() throws {
    if let timeout, !(1...86_400).contains(timeout) {
      throw ValidationError("--timeout must be a number of seconds from 1 to 86400")
    }
  }

  /// The arguments for `coffer-sync`.
  var arguments: [String] {
    (caFile.map { ["--ca-file=\($0)"] } ?? []) + (insecureHttp ? ["--insecure-http"] : [])
      + (timeout.map { ["--timeout=\($0)"] } ?? [])
  }

  /// The arguments for a `coffer-sync` that finds the other options in the store.
  var timeoutArguments: [String] { timeout.map { ["--timeout=\($0)"] } ?? [] }

  /// Returns these options, and those of a former store for the ones that are not given.
  func over(_ former: RemoteOptions) -> RemoteAccessOptions {
    var options = self
    options.caFile = caFile ?? former.certificateAuthorityFile
    options.insecureHttp = insecureHttp || former.allowsInsecureHTTP
    return options
  }

  /// Downloads the sealed objects of a vault. A password in the URL is not an argument of the program, and later
  /// transfers get it from git's credential helper.
  func download(_ url: String, into folder: VaultFolder) throws {
    let password = URLPassword(url)
    try SyncProgram.run(
      ["download", "--into", folder.path] + arguments + (password == nil ? [] : ["--credential-on-input"]) + [
        "--", password?.url ?? url,
      ],
      input: password?.credential)
  }
}
