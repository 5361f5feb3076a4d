internal import ArgumentParser
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault
internal import Foundation

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
      "The time for connecting, and for which the remote may be silent. Default: 30 for connecting, 60 for silence.",
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
      downloadArguments(folder) + (password == nil ? [] : ["--credential-on-input"]) + ["--", password?.url ?? url],
      input: password?.credential)
  }

  private func downloadArguments(_ folder: VaultFolder) -> [String] { ["download", "--into", folder.path] + arguments }

  /// Calls `body` with what was downloaded, and again with another epoch each time that it finds the one before not valid:
  /// whoever may push could have created branches that look like later epochs.
  ///
  /// - Parameters:
  ///   - url: The repository's URL or path.
  ///   - folder: The folder, with the latest epoch in `incoming`.
  ///   - body: Verifies what is in `incoming`.
  /// - Returns: What `body` returns.
  /// - Throws: The first error of `body`, if no epoch is valid.
  func verifyingDownload<Value>(
    of url: String, into folder: VaultFolder, _ body: () throws(VaultError) -> Value
  ) throws(VaultError) -> Value {
    var refused: [String] = []
    var first: VaultError?
    while true {
      do throws(VaultError) {
        return try body()
      } catch {
        first = first ?? error
        // A slot that somebody has replaced looks as if the vault key were wrong.
        if [.integrity, .authenticationFailed].contains(error.code), refused.count < Self.maximumEpochCount,
          let branch = folder.incomingBranch
        {
          refused.append(branch)
          if replaceDownload(of: url, in: folder, besides: refused) { continue }
        }
        // The user may type another vault key.
        if !refused.isEmpty { _ = replaceDownload(of: url, in: folder, besides: []) }
        throw first ?? error
      }
    }
  }

  /// Downloads another epoch. A password of the URL is with git's credential helper by now.
  private func replaceDownload(of url: String, in folder: VaultFolder, besides refused: [String]) -> Bool {
    try? FileManager.default.removeItem(at: folder.incoming)
    let options = downloadArguments(folder) + refused.flatMap { ["--besides", $0] }
    let place = URLPassword(url)?.url ?? url
    return (try? SyncProgram.run(options + ["--", place], for: .program)) != nil
  }

  /// The number of branches of epochs that a clone looks at.
  private static let maximumEpochCount = 32
}
