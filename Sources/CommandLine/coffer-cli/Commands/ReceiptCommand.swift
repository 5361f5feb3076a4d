internal import ArgumentParser
internal import Coffer
internal import CofferCrypto
internal import CofferFormat
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferTrust
internal import CofferVault

struct ReceiptCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "receipt", abstract: "Issue and show receipts of a vendor's shop.",
    discussion: """
      A receipt says that the owner of one vault has bought a product. The shop of a vendor signs it; the vendor's apps accept \
      it by the public key in their plists. No command of these uses a vault.
      """,
    subcommands: [ReceiptKeyCommand.self, ReceiptIssueCommand.self, ReceiptShowCommand.self])
}

struct ReceiptKeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key", abstract: "Create the key of a vendor's shop in a new file.",
    discussion: """
      The file (mode 0600) belongs on the server that issues receipts, and into no package. Whoever has it can issue receipts. \
      The plists of the vendor's apps name the public key.
      """)
  @Argument(help: "The new file.", completion: .file())
  var file: String
  @OptionGroup var output: ReportOptions

  func run() throws {
    let key = try VendorKey.create(.shop, in: file).base64
    try output.show(
      ["publicKey": key, "file": file],
      """
      The key of the shop is in \(Output.cell(file)). Keep it, and a copy in another place. Write into the plists of your apps:
        <key>\(EntitlementsDocument.receiptKeyName)</key>
        <string>\(key)</string>
      """)
  }
}

struct ReceiptIssueCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "issue", abstract: "Issue a receipt, on standard output.",
    discussion: """
      An app sends the buyer with its order (receiptBuyer), and stores what this prints (redeem). Of two receipts for one \
      product, the one that was issued later counts.
      """)
  @Argument(help: "The vendor's name of the product: the account of the item in which apps keep the receipt.")
  var product: String
  @Argument(help: "The vault of the buyer: 32 hexadecimal digits, from the app.")
  var buyer: String
  @Option(
    help: ArgumentHelp("The file with the shop's key, from: coffer receipt key", valueName: "file"), completion: .file()
  )
  var key: String
  @Option(
    help: ArgumentHelp(
      "When it ends: after hours (h), days (d), weeks (w) or years (y), or at the beginning of a day. By default, never.",
      valueName: "1y|2027-03-01"))
  var expires: Expiry?
  @Flag(help: "Take earlier receipts for the product back.")
  var refund = false
  @Option(help: ArgumentHelp("Free text, such as the number of an order.", valueName: "text"))
  var note = ""

  func run() throws {
    let receipt = try Receipt.issue(
      product: product, buyer: buyer, expires: expires.map { try $0.time(after: Date()) }, isRefund: refund, note: note,
      signedBy: VendorKey.read(.shop, from: key))
    try Output.line(receipt.text)
  }
}

struct ReceiptShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show the receipt on standard input.",
    discussion:
      "With the public key of the shop, verifies the signature, and fails with the exit code 6 if it is another's.")
  @Option(help: ArgumentHelp("The shop's public key, in base64.", valueName: "key"))
  var shop: String?
  @OptionGroup var output: ReportOptions

  func run() throws {
    let data = try SecretInput.contents(of: "-", what: "receipt", limit: Limits.receiptTextByteCount)
    let receipt = try Receipt(text: String(decoding: data, as: UTF8.self))
    if let shop {
      guard let key = Base64.decode(Array(shop.utf8)[...]), key.count == 32 else {
        throw VaultError(
          .invalidArgument, "the key of the shop is not 32 bytes in base64",
          recoverySuggestion: "copy it from the plist of an app of the vendor")
      }
      guard receipt.isSigned(by: key) else {
        throw VaultError(
          .integrity, "another key has signed the receipt",
          recoverySuggestion: "do not accept it as a receipt of this shop")
      }
    }
    let end = receipt.expires.map { "\(receipt.isExpired ? "expired" : "until") \(Output.date($0))" }
    let states = [receipt.isRefund ? "refund" : nil, end, receipt.note.isEmpty ? nil : Output.cell(receipt.note)]
    let signer =
      shop == nil ? "The signature was not verified: name the key of the shop with --shop" : "Signed by the shop"
    try output.show(
      [
        "product": receipt.product, "buyer": receipt.buyer, "issued": receipt.issued, "expires": receipt.expires,
        "isRefund": receipt.isRefund, "note": receipt.note, "isExpired": receipt.isExpired, "isVerified": shop != nil,
      ],
      """
      \(Output.cell(receipt.product)) for \(receipt.buyer), issued \(Output.date(receipt.issued))\
      \(states.compactMap { $0 }.map { ", " + $0 }.joined())
      \(signer).
      """)
  }
}
