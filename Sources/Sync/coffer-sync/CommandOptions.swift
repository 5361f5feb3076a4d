internal import ArgumentParser
internal import CofferExchange
internal import CofferPlatform
internal import CofferSystem
internal import CofferVault
internal import Logging

/// The vault and the level of detail of the log.
struct VaultOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The vault's folder. Default: the user's vault.", valueName: "folder"), completion: .directory)
  var vault: String?
  @Flag(help: "Log each step.")
  var verbose = false

  var folder: VaultFolder {
    get throws(VaultError) {
      if let vault { return VaultFolder(URL(fileURLWithPath: vault, isDirectory: true)) }
      return VaultFolder(try .standard())
    }
  }

  var logger: Logger {
    var logger = Logger(label: "coffer-sync") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = verbose ? .debug : .critical
    return logger
  }
}

/// How to reach the remote.
struct RemoteAccessOptions: ParsableArguments {
  private static let maximumCredentialByteCount = 64 << 10
  private static let maximumSeconds = 86_400

  @Option(
    help: ArgumentHelp(
      "Trust the certificate authorities in this file, in PEM form, instead of those of the system, for https://.",
      valueName: "file"), completion: .file())
  var caFile: String?
  @Flag(help: "Allow http:// to another machine.")
  var insecureHttp = false
  @Option(
    help: ArgumentHelp(
      "The time for connecting, for which the remote may be silent, and for which to wait for another sync. Default: 30, 60 and 120.",
      valueName: "seconds"))
  var timeout: Int?
  @Flag(help: .hidden)
  var credentialOnInput = false

  /// The options of a command line without any, for a command that ArgumentParser has not read.
  static var defaults: RemoteAccessOptions {
    var options = RemoteAccessOptions()
    options.caFile = nil
    options.insecureHttp = false
    options.timeout = nil
    options.credentialOnInput = false
    return options
  }

  func validate() throws {
    if let timeout, !(1...Self.maximumSeconds).contains(timeout) {
      throw ValidationError("--timeout must be a number of seconds from 1 to \(Self.maximumSeconds)")
    }
  }

  /// Throws `invalidArgument` if the file of authorities cannot be read.
  var access: RemoteAccess {
    get throws(VaultError) {
      RemoteAccess(
        RemoteOptions(certificateAuthorityFile: try caFile.map(Self.absolute), allowsInsecureHTTP: insecureHttp),
        timeout: timeout.map { .seconds($0) },
        credential: credentialOnInput
          ? Descriptor(owning: dup(STDIN_FILENO)).readToEnd(maximumByteCount: Self.maximumCredentialByteCount)
          : nil)
    }
  }

  /// Later syncs may run in another folder.
  private static func absolute(_ path: String) throws(VaultError) -> String {
    guard path.hasPrefix("/") || CurrentProcess.workingDirectory != nil else {
      throw VaultError(
        .invalidArgument,
        "\(path.sanitizedForTerminal()) is relative, and the path of the working directory is not UTF-8",
        recoverySuggestion: "give the file's whole path")
    }
    let file = URL(fileURLWithPath: path).standardizedFileURL.path(percentEncoded: false)
    var bytes: [UInt8]?
    if let regular = try? RegularFile.open(file, followsLinks: true) { bytes = try? regular.read(upTo: 16 << 20) }
    guard let bytes, bytes.hasText("-----BEGIN ") else {
      throw VaultError(
        .invalidArgument, "\(path.sanitizedForTerminal()) is no file of certificates in PEM form",
        recoverySuggestion: "give the file of the authority's certificate to --ca-file")
    }
    return file
  }
}
