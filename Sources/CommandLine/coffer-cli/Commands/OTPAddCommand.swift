internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferCrypto
internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct OTPAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Store the seed of an account's one-time codes.",
    discussion: """
      The seed is read from standard input, from a prompt, from a file, or from the picture of a QR code: the otpauth:// address \
      that a service shows, or its text of letters and digits (Base32). It is never an argument, which every user could read.

      Adds the seed to the password that `coffer get` finds with the names. With --new, creates a generic password with an empty \
      value instead, if no group that can be read has one with the names.
      """)
  @OptionGroup var password: PasswordChoice
  @Option(
    help: ArgumentHelp(
      "Read the QR code in a picture, such as a screenshot. Needs the program zbarimg.", valueName: "file"),
    completion: .file())
  var qr: String?
  @Option(help: ArgumentHelp("Read the seed from a file.", valueName: "file"), completion: .file())
  var fromFile: String?
  @Option(help: ArgumentHelp("For a seed without an address: 6, 7 or 8 digits. Default: 6.", valueName: "number"))
  var digits: Int?
  @Option(
    help: ArgumentHelp(
      "For a seed without an address: how many seconds a code is valid. Default: 30.", valueName: "seconds"))
  var period: Int?
  @Option(
    help: ArgumentHelp(
      "For a seed without an address: SHA1, SHA256 or SHA512. Default: SHA1.", valueName: "algorithm"))
  var algorithm: AlgorithmArgument?
  @Flag(help: "Replace the seed that the password has.")
  var replace = false
  @Flag(help: "Create a generic password with an empty value, which only has codes.")
  var new = false
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  func validate() throws {
    try password.checkNames()
    if qr != nil && fromFile != nil { throw ValidationError("--qr and --from-file exclude each other") }
    if new && (password.namesExisting || replace) {
      throw ValidationError("--new excludes --reference, --class internet-password and --replace")
    }
    if let digits, !OneTimePassword.digitCounts.contains(digits) { throw ValidationError("--digits takes 6, 7 or 8") }
    if let period, !OneTimePassword.periods.contains(period) {
      throw ValidationError("--period takes a number of seconds from 1 to 1000000")
    }
  }

  func run() throws {
    try password.checkNotEmpty(or: "name the item")
    let (vault, existing) = try target()
    let names = existing.map { [$0.place, $0.account] } ?? [password.service ?? "", password.account ?? ""]
    // Everything is checked before the prompt, so that nobody types a secret in vain.
    try existing?.checkOneTimePassword(replacing: replace)
    let seed = try seed(named: names)
    if let existing {
      try existing.setOneTimePassword(seed, replacing: replace, in: vault)
      try Output.line("Added one-time codes to \(Output.cell(existing.title)) in \(existing.group)")
    } else {
      var item = password.genericPassword
      item.oneTimePassword = seed
      try vault.add(Data(), for: item, in: group.group)
      try Output.line(
        "Added one-time codes to the new item \(Output.cell(names.filter { !$0.isEmpty }.joined(separator: ", ")))")
    }
  }

  /// Returns the vault, and the password with the names; nil for it with `--new`.
  private func target() throws(VaultError) -> (vault: Vault, existing: FoundPassword?) {
    if new {
      let vault = try actor.open(for: .writing(group.group), to: .use)
      try password.checkLengths()
      try checkIsNew(in: vault)
      return (vault, nil)
    }
    let vault = try actor.open(for: .changing(group.group), to: .use)
    guard let found = try existing(in: vault) else {
      let missing = password.notFound(in: vault, group: group, as: actor)
      guard !password.namesExisting else { throw missing }
      throw VaultError(
        missing.code, "\(missing.message); nothing was changed",
        recoverySuggestion: "name an item that exists, or add --new to create a password that only has codes")
    }
    return (vault, found)
  }

  /// Returns the password that the names stand for, as `coffer otp` finds it; nil if there is none.
  private func existing(in vault: Vault) throws(VaultError) -> FoundPassword? {
    guard let found = try password.findOneOrNil(in: vault, group: group) else { return nil }
    try vault.check(.changing(found.group))
    return found
  }

  /// Throws `duplicateItem` if a group that can be read has a password with the names: a new item, whose
  /// value is empty, could hide it.
  private func checkIsNew(in vault: Vault) throws(VaultError) {
    var found = try password.find(in: vault, group: group.group)
    if found.isEmpty, group.group == nil, actor.app == nil {
      found = try password.find(in: actor.open(for: .reading(nil), to: .use), group: nil)
    }
    guard let first = found.first else { return }
    let names = [first.place, first.account]
    throw VaultError(
      .duplicateItem, "\(first.group) has a password with these names; nothing was changed",
      recoverySuggestion:
        "add the codes to it with: \(NextCommand.line("otp add", names, app: actor.app, group: first.group))")
  }

  /// Reads the seed, and checks it.
  private func seed(named names: [String]) throws(VaultError) -> OneTimePassword {
    let title = names.filter { !$0.isEmpty }.joined(separator: ", ")
    let text = try readText(title)
    guard !text.isEmpty else {
      throw VaultError(
        .invalidArgument, "the seed is empty; nothing was changed",
        recoverySuggestion: "give the seed or the otpauth:// address that the service shows")
    }
    guard !text.lowercased().hasPrefix("otpauth") else {
      guard digits == nil, period == nil, algorithm == nil else {
        throw VaultError(
          .invalidArgument, "the address says digits, period and algorithm; nothing was changed",
          recoverySuggestion: "leave out --digits, --period and --algorithm")
      }
      return try OneTimePassword(uri: text)
    }
    return try OneTimePassword(
      seed: text, algorithm: algorithm?.algorithm ?? .sha1, digitCount: digits ?? 6, period: period ?? 30,
      issuer: names[0],
      account: names[1])
  }

  private func readText(_ title: String) throws(VaultError) -> String {
    if let qr { return try QRCodePicture.read(qr) }
    let bytes: Data
    if let fromFile {
      bytes = try SecretInput.contents(of: fromFile, what: "seed")
    } else if Terminal.isInput {
      let typed = try Terminal.askHidden(
        "Seed of \(Output.cell(title))", for: "the seed", otherwise: "give it on standard input")
      bytes = unsafe typed.withBytes { unsafe Data($0) }
    } else {
      bytes = try SecretInput.contents(of: "-", what: "seed")
    }
    return String(decoding: bytes, as: UTF8.self).trimmedSpace
  }
}

/// An algorithm of one-time codes, with or without a hyphen.
struct AlgorithmArgument: ExpressibleByArgument {
  let algorithm: OneTimePassword.Algorithm

  init?(argument: String) {
    let name = argument.uppercased().replacing("-", with: "")
    guard let algorithm = OneTimePassword.Algorithm(rawValue: name) else { return nil }
    self.algorithm = algorithm
  }
}

/// A picture with a QR code, such as a screenshot: the program `zbarimg` reads it, in a process without keys.
enum QRCodePicture {
  private static let program = "zbarimg"
  private static let limit = 8_192
  private static let maximumPictureByteCount = 64 << 20
  /// The exit code of the program for a picture without a code.
  private static var noCode: ChildProcess.Exit { .code(4) }
  private static let timeout = Duration.seconds(30)

  /// Returns the text of the only QR code in a picture.
  static func read(_ path: String) throws(VaultError) -> String {
    let shown = path.sanitizedForTerminal(limit: .max)
    // A named pipe without a writer must not keep this process waiting.
    let picture = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard picture >= 0 else {
      throw VaultError(
        .invalidArgument, "cannot read the picture \(shown): \(unsafe String(cString: strerror(errno)))",
        recoverySuggestion: "name a picture in PNG, JPEG or another common format")
    }
    defer { close(picture) }
    var status = stat()
    guard unsafe fstat(picture, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size <= maximumPictureByteCount, isPicture(picture)
    else {
      throw VaultError(
        .invalidArgument, "\(shown) is no picture of at most \(maximumPictureByteCount >> 20) MiB",
        recoverySuggestion: "name a file in PNG, JPEG, GIF, WebP, TIFF, BMP or PNM")
    }
    let lines = try Self.lines(of: picture)
    guard lines.count == 1 else {
      throw VaultError(
        .invalidArgument, lines.isEmpty ? "\(shown) has no QR code" : "\(shown) has \(lines.count) QR codes",
        recoverySuggestion: "take a picture in which one code is large and sharp")
    }
    guard !lines[0].hasPrefix("otpauth-migration:") else {
      throw VaultError(
        .invalidArgument, "\(shown) is an export of Google Authenticator, which has several seeds in a form of its own",
        recoverySuggestion: "let each service show its own QR code")
    }
    return lines[0]
  }

  /// Whether a file begins as one of the formats of pictures does: other ones, such as those that are programs, are not
  /// for the libraries that read pictures.
  private static func isPicture(_ file: Int32) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 12)
    let count = unsafe pread(file, &bytes, bytes.count, 0)
    let start = bytes.prefix(max(count, 0))
    if start.starts(with: "RIFF".utf8) { return start.dropFirst(8).elementsEqual("WEBP".utf8) }
    // PNM: P1 to P6, and white space.
    if start.first == UInt8(ascii: "P"), start.count > 2 {
      return (UInt8(ascii: "1")...UInt8(ascii: "6")).contains(start[1]) && start[2] <= UInt8(ascii: " ")
    }
    let beginnings: [[UInt8]] = [
      [0x89, 0x50, 0x4E, 0x47], [0xFF, 0xD8, 0xFF], Array("GIF8".utf8), Array("BM".utf8), [0x49, 0x49, 0x2A, 0],
      [0x4D, 0x4D, 0, 0x2A],
    ]
    return beginnings.contains { start.starts(with: $0) }
  }

  /// Runs the program, which gets the picture as its standard input: a path could be read as something else.
  private static func lines(of picture: Int32) throws(VaultError) -> [String] {
    let end: ChildProcess.Exit?
    var output: [UInt8]
    do throws(SystemError) {
      let pipe = try Descriptor.pipe()
      let child = try ChildProcess.start(
        program, arguments: ["--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", "-"], searchesPath: true,
        input: .descriptor(picture), output: .descriptor(pipe.theirs.rawValue), errors: .null)
      let ours = pipe.closeTheirs()
      // The codes of a picture fit into the pipe: the program does not wait for a reader.
      end = child.wait(timeout: timeout)
      child.terminate()
      output = ours.readToEnd(maximumByteCount: limit)
    } catch {
      throw VaultError(
        .io, error.isNotFound ? "\(program), which reads QR codes, is not installed" : "\(error)",
        recoverySuggestion: "install it (on Debian: sudo apt install zbar-tools), or give the seed as text")
    }
    defer { output.wipe() }
    guard end == .code(0) || end == noCode else {
      throw VaultError(
        .invalidArgument, "\(program) \(end == nil ? "takes too long for" : "cannot read") the picture",
        recoverySuggestion: "save the picture as PNG, or give the seed as text")
    }
    return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
