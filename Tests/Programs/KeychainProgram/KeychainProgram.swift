import LocalAuthentication
import Security

/// A small app on Keychain, written by somebody who knows Apple's interface and nothing about Coffer.
///
/// Prints a failed call on standard error, with its name, its status and the reason, and exits with 1. Exits with 2 if
/// the arguments are wrong.
@main
enum KeychainProgram {
  static func main() {
    guard let arguments = Arguments(CommandLine.arguments.dropFirst()) else {
      print(Arguments.usage, to: .standardError)
      exit(2)
    }
    AuthenticationPrompt.prompter = arguments.prompter
    do {
      guard try run(arguments) else {
        print(Arguments.usage, to: .standardError)
        exit(2)
      }
    } catch let error as KeychainError {
      print("\(error.call): \(error.status) \(error.explanation)\n", to: .standardError)
      exit(1)
    } catch {
      print("\(error)\n", to: .standardError)
      exit(1)
    }
  }

  /// Runs the command; returns false if the command is unknown.
  private static func run(_ arguments: Arguments) throws -> Bool {
    let keychain = Keychain(
      service: arguments.service ?? (["list", "values"].contains(arguments.command) ? nil : "service"),
      group: arguments.group,
      isSynchronizable: arguments.isSynchronizable, context: arguments.context,
      authenticationUI: arguments.authenticationUI)
    let words = arguments.words
    switch (arguments.command, words.count) {
    case ("add", 1): try keychain.add(words[0], input(), try attributes(of: arguments))
    case ("get", 1...):
      for account in words {
        FileHandle.standardOutput.write(try keychain.value(of: account) + Data("\n".utf8))
      }
    case ("update", 1): try keychain.update(words[0], [kSecValueData as String: input()])
    case ("move", 2): try keychain.update(words[0], [kSecAttrAccessGroup as String: words[1]])
    case ("delete", 1): try keychain.delete(words[0])
    case ("list", 0): try printList(of: keychain)
    case ("values", 0):
      for line in try keychain.list(withValues: true).map(accountAndValue).sorted() {
        print(line + "\n", to: .standardOutput)
      }
    case ("round-trip", 1):
      try keychain.add(words[0], input(), try attributes(of: arguments))
      FileHandle.standardOutput.write(try keychain.value(of: words[0]) + Data("\n".utf8))
      try printList(of: keychain)
      try keychain.delete(words[0])
    case ("bundle", 0): print("\(Bundle.main.bundleIdentifier ?? "none")\n", to: .standardOutput)
    case ("import", 1): try Identities.add(from: words[0], passphrase: String(decoding: input(), as: UTF8.self))
    case ("identities", 0):
      for label in try Identities.sign().sorted() { print(label + "\n", to: .standardOutput) }
    case ("trust", 2): try Identities.evaluate(words[0], host: words[1])
    case ("concurrent", 3):
      guard let count = Int(words[1]), let threads = Int(words[2]) else { return false }
      try ConcurrentWork(name: words[0], count: count, keychain: keychain).run(threads: threads)
    default: return false
    }
    return true
  }

  private static func input() -> Data { FileHandle.standardInput.readDataToEndOfFile() }

  /// Returns the attributes that an item is added with, apart from its name and value.
  private static func attributes(of arguments: Arguments) throws -> [String: Any] {
    var attributes: [String: Any] = [:]
    attributes[kSecAttrLabel as String] = arguments.label
    let accessible = arguments.accessible ?? kSecAttrAccessibleWhenUnlocked as String
    guard !arguments.flags.isEmpty else {
      attributes[kSecAttrAccessible as String] = arguments.accessible
      return attributes
    }
    var error: Unmanaged<CFError>?
    guard let control = SecAccessControlCreateWithFlags(nil, accessible as CFString, arguments.flags, &error) else {
      throw error!.takeRetainedValue() as Error
    }
    attributes[kSecAttrAccessControl as String] = control
    return attributes
  }

  private static func printList(of keychain: Keychain) throws {
    for line in try keychain.list().map(line).sorted() { print(line + "\n", to: .standardOutput) }
  }

  private static func line(_ item: [String: Any]) -> String {
    [kSecAttrAccessGroup, kSecAttrService, kSecAttrAccount].map { item[$0 as String] as? String ?? "?" }
      .joined(separator: " ")
  }

  private static func accountAndValue(_ item: [String: Any]) -> String {
    let value = (item[kSecValueData as String] as? Data).map { String(decoding: $0, as: UTF8.self) }
    return "\(item[kSecAttrAccount as String] as? String ?? "?") \(value ?? "?")"
  }

  static func print(_ text: String, to file: FileHandle) { file.write(Data(text.utf8)) }
}
