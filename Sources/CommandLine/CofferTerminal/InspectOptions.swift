package import ArgumentParser

/// The options of `coffer inspect`, which `coffer` passes on to `coffer-inspect`.
package struct InspectOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The port to listen on. Default: a random free one.", valueName: "port"),
    transform: Self.port)
  package var port: UInt16?

  @Flag(help: "Print the address, and do not open a browser.")
  package var noOpen = false

  @Option(
    help: ArgumentHelp(
      "Show what this app can read, with its credential here: a full application identifier, or a bundle identifier.",
      discussion: "Default: show everything, as the owner.", valueName: "app"))
  package var app: String?

  @Option(
    help: ArgumentHelp(
      "Lock after this time without use: 90s, 10m or 1h.",
      discussion: """
        The keys then leave memory, and the page asks for the passphrase. After the same time again, at least a minute, \
        the program ends; if the vault needs no passphrase, it ends at once.
        """, valueName: "time"), transform: IdleTime.argument)
  package var idle = IdleTime.standard

  @Flag(help: "Ask for the passphrase in the page instead of the terminal.")
  package var askInPage = false

  @Flag(help: "Log each request, without what was searched for or shown.")
  package var verbose = false

  @OptionGroup package var passphrase: PassphraseOptions

  package init() {}

  package func validate() throws {
    if askInPage && passphrase.passphraseFile != nil {
      throw ValidationError("--ask-in-page and --passphrase-file exclude each other")
    }
  }

  private static func port(_ text: String) throws -> UInt16 {
    guard let port = UInt16(text), port > 0 else { throw ValidationError("use a number from 1 to 65535") }
    return port
  }
}

/// A time without use, as a user writes it: `90s`, `10m` or `1h`. A number alone is none: one person means minutes, and
/// another one seconds.
package struct IdleTime: Sendable {
  package let seconds: Int

  package var duration: Duration { .seconds(seconds) }

  /// Creates a time from its text. Nil unless that is a whole number with its unit, from 1 second to 24 hours.
  package init?(_ argument: String) {
    let units = ["s": 1, "m": 60, "h": 3600]
    let digits = argument.dropLast()
    guard let unit = argument.last.flatMap({ units[String($0)] }),
      digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let count = Int(digits),
      case let (seconds, isTooLarge) = count.multipliedReportingOverflow(by: unit), !isTooLarge,
      (1...86_400).contains(seconds)
    else { return nil }
    self.seconds = seconds
  }

  /// Reads the value of an option.
  package static func argument(_ text: String) throws -> IdleTime {
    guard let time = IdleTime(text) else {
      throw ValidationError("use a time from 1 second to 24 hours, such as 90s, 10m or 1h")
    }
    return time
  }

  /// The default: ten minutes.
  package static let standard = IdleTime(seconds: 600)

  private init(seconds: Int) { self.seconds = seconds }

  /// The time in words, such as "10 minutes".
  package var text: String {
    let units = [(3600, "hour"), (60, "minute"), (1, "second")]
    let (length, name) = units.first { seconds.isMultiple(of: $0.0) } ?? (1, "second")
    let count = seconds / length
    return "\(count) \(name)\(count == 1 ? "" : "s")"
  }
}

extension IdleTime: CustomStringConvertible {
  /// The time as a user writes it.
  package var description: String { seconds.isMultiple(of: 60) ? "\(seconds / 60)m" : "\(seconds)s" }
}
