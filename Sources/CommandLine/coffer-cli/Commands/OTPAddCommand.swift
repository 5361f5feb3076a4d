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
