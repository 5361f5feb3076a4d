import LocalAuthentication
import Security

/// The arguments of the program: options, a command and its words.
struct Arguments {
  static let usage = """
    usage: KeychainProgram [OPTION]... COMMAND [WORD]...

      add ACCOUNT               adds an item with the value on standard input
      get ACCOUNT...            prints the values
      update ACCOUNT            sets the item's value to standard input
      move ACCOUNT GROUP        moves the item to another access group
      delete ACCOUNT            removes the item
      list                      prints group, service and account of each item
      values                    prints account and value of each item, from one call
      round-trip ACCOUNT        adds an item, prints its value and the list, and deletes it
      concurrent NAME COUNT THREADS  uses the keychain from several threads
      bundle                    prints the program's bundle identifier
      import FILE               adds the identities of a PKCS #12 file; standard input is its passphrase
      identities                signs with each identity, and prints the labels
      trust FILE HOST           evaluates the certificate of a server, in DER

      --group GROUP, --service SERVICE, --label LABEL, --accessible VALUE
      --synchronizable          selects items with this attribute instead of items without it
      --presence, --password    adds an item under an access control
      --terminal, --desktop, --pinentry PROGRAM    the prompter; --desktop finds the dialog program itself
      --reason TEXT             the reason shown in prompts
      --given FILE              a file with the item's password
      --context                 calls share one context
      --silent, --fail, --skip  forbids prompts: by the context, or by the query, which fails or skips such items

    """

  var group: String?
  var service: String?
  var label: String?
  var accessible: String?
  var isSynchronizable = false
  var flags: SecAccessControlCreateFlags = []
  var prompter: (any AuthenticationPrompter)?
  var context: LAContext?
  var authenticationUI: String?
  var command = ""
  var words: [String] = []

  /// Returns nil if an option is unknown or lacks its value.
  init?(_ arguments: some Sequence<String>) {
    var rest = Array(arguments)[...]
    while let option = rest.first, option.hasPrefix("--") {
      rest.removeFirst()
      switch option {
      case "--presence": flags.insert(.userPresence)
      case "--password": flags.insert(.applicationPassword)
      case "--terminal": prompter = TerminalPrompter()
      case "--desktop": prompter = PinentryPrompter()
      case "--context": makeContext { _ in }
      case "--silent": makeContext { $0.interactionNotAllowed = true }
      case "--synchronizable": isSynchronizable = true
      case "--fail": authenticationUI = kSecUseAuthenticationUIFail as String
      case "--skip": authenticationUI = kSecUseAuthenticationUISkip as String
      default:
        guard let value = rest.popFirst(), take(option, value) else { return nil }
      }
    }
    guard let first = rest.popFirst() else { return nil }
    command = first
    words = Array(rest)
  }

  private mutating func take(_ option: String, _ value: String) -> Bool {
    switch option {
    case "--group": group = value
    case "--service": service = value
    case "--label": label = value
    case "--accessible": accessible = value
    case "--pinentry": prompter = PinentryPrompter(program: value)
    case "--reason": makeContext { $0.localizedReason = value }
    case "--given":
      guard let password = FileManager.default.contents(atPath: value) else { return false }
      makeContext { $0.setCredential(password, type: .applicationPassword) }
    default: return false
    }
    return true
  }

  private mutating func makeContext(_ change: (LAContext) -> Void) {
    let context = context ?? LAContext()
    change(context)
    self.context = context
  }
}
