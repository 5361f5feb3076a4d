internal import CofferCrypto
package import CofferFormat
public import CofferPlatform
internal import CofferSystem
internal import CofferTrust
public import CofferVault

/// A vendor's statement that the owner of one vault has bought a product.
///
/// The vendor's shop signs it with a key that the vendor keeps there, and the plists of the vendor's apps name the
/// public key as `coffer-receipt-key` (`coffer receipt key`). An app keeps a receipt as the value of an item, whose
/// account is the product, and accepts it only by ``Vault/receipt(for:in:)``: a receipt that was copied from another
/// vault, or written by somebody else, counts for nothing.
public struct Receipt: Hashable, Sendable {
  /// The vendor's name of the product, 1 to 256 bytes.
  public let product: String
  /// The vault for which it was issued, as ``Vault/receiptBuyer`` returns it there.
  public let buyer: String
  /// When it was issued, by the clock of the shop.
  public let issued: Date
  /// When it ends; nil if it does not.
  public let expires: Date?
  /// Whether it takes earlier receipts for the product back.
  public let isRefund: Bool
  /// The shop's free text, at most 1,024 bytes.
  public let note: String
  /// The receipt on one line, as the shop issues it.
  public let text: String

  private let statement: ReceiptStatement

  /// Reads a receipt, without verifying who signed it.
  ///
  /// - Parameter text: The text from the shop, at most 4 KiB. Spaces and line ends are ignored.
  /// - Throws: ``VaultError``: `invalidArgument` if it is not a receipt.
  public init(text: String) throws(VaultError) {
    do {
      self.init(try ReceiptStatement(text: text))
    } catch {
      throw VaultError(
        .invalidArgument, "this is not a receipt", recoverySuggestion: "copy the whole line that the shop has issued")
    }
  }

  /// Issues a receipt, on the server of a shop.
  ///
  /// - Parameters:
  ///   - product: The vendor's name of the product, 1 to 256 bytes.
  ///   - buyer: The vault of the buyer, from ``Vault/receiptBuyer``.
  ///   - expires: When it ends; nil if it does not. In the future.
  ///   - isRefund: Whether it takes earlier receipts for the product back.
  ///   - note: Free text, such as the number of an order, at most 1,024 bytes.
  ///   - shopKey: The text in the file that `coffer receipt key` has created. Its copy in guarded memory is wiped.
  /// - Returns: The receipt, issued now.
  /// - Throws: ``VaultError``: `invalidArgument` for a key, a buyer or a text that is not valid.
  public static func issue(
    product: String, buyer: String, expires: Date? = nil, isRefund: Bool = false, note: String = "",
    signedBy shopKey: some SecretValue
  ) throws(VaultError) -> Receipt {
    var secret = shopKey.secretBytes
    guard let key = try? VendorKey(.shop, parsing: SecretText(moving: &secret)) else {
      throw VaultError(
        .invalidArgument, "this is not the key of a shop",
        recoverySuggestion: "give the text that `coffer receipt key FILE` has written")
    }
    return try issue(
      product: product, buyer: buyer, expires: expires, isRefund: isRefund, note: note, signedBy: key)
  }

  /// Issues a receipt, as ``issue(product:buyer:expires:isRefund:note:signedBy:)``.
  package static func issue(
    product: String, buyer: String, expires: Date?, isRefund: Bool, note: String, signedBy key: VendorKey
  ) throws(VaultError) -> Receipt {
    guard let raw = bytes(hexadecimal: buyer).flatMap({ Bytes16($0) }) else {
      throw VaultError(
        .invalidArgument, "the buyer is not 32 hexadecimal digits in small letters",
        recoverySuggestion: "copy what the app shows")
    }
    let contents = ReceiptStatement.Contents(
      product: product, buyer: BuyerID(raw), issued: .now, expires: expires.map { Timestamp($0) }, isRefund: isRefund,
      note: note)
    guard let statement = try? ReceiptStatement(contents, key: key.signing()) else {
      throw VaultError(
        .invalidArgument, "no receipt can say this",
        recoverySuggestion: "give a product of 1 to 256 bytes, a note of at most 1024, and an expiry in the future")
    }
    return Receipt(statement)
  }

  private init(_ statement: ReceiptStatement) {
    let contents = statement.contents
    product = contents.product
    buyer = hexadecimal(contents.buyer.raw.bytes)
    issued = contents.issued.date
    expires = contents.expires?.date
    isRefund = contents.isRefund
    note = contents.note
    text = statement.text
    self.statement = statement
  }

  /// Whether the key of a shop has signed the receipt.
  ///
  /// - Parameter key: The 32 bytes of the public key.
  /// - Returns: False also for another number of bytes.
  public func isSigned(by key: [UInt8]) -> Bool {
    Bytes32(key).map { statement.isSigned(by: VerifyingKey($0)) } ?? false
  }

  /// Whether it has ended, by this machine's clock.
  package var isExpired: Bool { expires.map { $0 <= Timestamp.now.date } ?? false }

  fileprivate func check(buyer: BuyerID, key: VerifyingKey, product: String) throws(VaultError) {
    let fault =
      if !statement.isSigned(by: key) {
        "was not signed by the shop of this app's vendor"
      } else if statement.contents.buyer != buyer {
        "was issued for another vault"
      } else if self.product != product {
        "is for another product than \(product.sanitizedForTerminal())"
      } else {
        String?.none
      }
    guard let fault else { return }
    throw VaultError(
      .integrity, "the receipt \(fault)", recoverySuggestion: "ask the shop for a receipt for this vault")
  }
}

extension Vault {
  /// This vault, as the shop of the app's vendor knows it: 32 hexadecimal digits. The app sends them to the shop with
  /// an order. They differ between vendors, and say nothing else of the vault.
  ///
  /// - Throws: ``VaultError``: `notEntitled` if the app's plist has no `coffer-receipt-key`; `integrity` or `io` if the
  ///   membership log cannot be read.
  public var receiptBuyer: String {
    get throws(VaultError) {
      if let broker { return try broker.receiptBuyer }
      return hexadecimal(try shop().buyer.raw.bytes)
    }
  }

  /// Stores a receipt as the value of an item, whose account is the product.
  ///
  /// - Parameters:
  ///   - text: The receipt from the shop.
  ///   - item: The item, which is added if it does not exist.
  ///   - accessGroup: The access group to write to, the app's default group if nil. Apps that may write to it can
  ///     delete receipts, those that read it can verify them.
  /// - Returns: The receipt, which may be a refund or have expired.
  /// - Throws: ``VaultError``: `invalidArgument` if the text is not a receipt, or not newer than the stored one;
  ///   `integrity` if the receipt is not from this vendor's shop, for this vault and for this product; `notEntitled`,
  ///   also if the app's plist has no `coffer-receipt-key`; the errors of writing. Nothing has changed then.
  @discardableResult
  public func redeem(
    _ text: String, for item: GenericPassword, in accessGroup: String? = nil
  ) throws(VaultError) -> Receipt {
    if let broker { return try broker.redeem(text, for: item, in: accessGroup) }
    let (buyer, key) = try shop()
    let receipt = try Receipt(text: text)
    try receipt.check(buyer: buyer, key: key, product: item.account)
    return try writing { _, context in
      // Other groups than the one that is written do not matter.
      let group = try context.writableGroup(named: accessGroup).name
      if let stored = try receipts(of: item, in: group)?.newest, stored.issued >= receipt.issued {
        if stored == receipt { return stored }
        throw VaultError(
          .invalidArgument, "a receipt that is not older is stored for \(item.account.sanitizedForTerminal())",
          recoverySuggestion: "redeem the last receipt that the shop has issued")
      }
      try set(receipt.text, for: item, in: group)
      return receipt
    }
  }

  /// Returns the receipt that an item holds, if it counts now.
  ///
  /// The newest receipt of all versions of the item decides, also of replaced ones that this machine can read: a refund
  /// cannot be undone with ``restore(_:)``. It can be withheld, by whoever deletes the versions or never redeems it:
  /// issue receipts that expire for what must end.
  ///
  /// - Parameters:
  ///   - item: The item, whose account is the product.
  ///   - accessGroup: The access group to search. If nil, the first of the app's groups that has the item.
  /// - Returns: The receipt; nil if the item does not exist, or if the newest receipt is a refund or has expired.
  /// - Throws: ``VaultError``: `integrity` if the item has no receipt of this vendor's shop, for this vault and for
  ///   this product; `notEntitled`, also if the app's plist has no `coffer-receipt-key`; `locked`.
  public func receipt(for item: GenericPassword, in accessGroup: String? = nil) throws(VaultError) -> Receipt? {
    if let broker { return try broker.receipt(for: item, in: accessGroup) }
    let found = try receipts(of: item, in: accessGroup)
    if found?.newest == nil, let fault = found?.fault { throw fault }
    guard let newest = found?.newest, !newest.isRefund, !newest.isExpired else {
      // Another machine may have bought it, or a newer one.
      local.folder.noteMiss()
      return nil
    }
    return newest
  }

  /// Returns the newest receipt of all versions of an item, and why the current version is none; nil if the item does
  /// not exist.
  private func receipts(
    of item: GenericPassword, in accessGroup: String?
  ) throws(VaultError) -> (newest: Receipt?, fault: VaultError?)? {
    let (buyer, key) = try shop()
    var newest: Receipt?
    var fault: VaultError?
    let search = ItemQuery<GenericPassword>(in: accessGroup).naming(item).search
    let versions = ItemHistory<GenericPassword>([try history(of: search, isLive: true)]).versions
    guard versions.contains(where: { $0.isCurrent && !$0.isDeletion }) else { return nil }
    // A replaced version that cannot be read must not hide the receipt in the current one.
    for version in versions where version.isCurrent || !version.isPasswordProtected {
      let stored: [UInt8]?
      do throws(VaultError) {
        stored = try bytes(of: version)
      } catch {
        // Damaged, or deleted since the history was read.
        guard !version.isCurrent, [VaultError.Code.integrity, .itemNotFound].contains(error.code) else { throw error }
        continue
      }
      guard let value = stored else { continue }
      do throws(VaultError) {
        let receipt = try Receipt(text: String(decoding: value, as: UTF8.self))
        try receipt.check(buyer: buyer, key: key, product: item.account)
        if newest.map({ $0.issued < receipt.issued }) ?? true { newest = receipt }
      } catch {
        // Replaced versions may be from before the app had receipts.
        if version.isCurrent {
          fault = VaultError(.integrity, error.message, recoverySuggestion: error.recoverySuggestion)
        }
      }
    }
    return (newest, fault)
  }

  private func shop() throws(VaultError) -> (buyer: BuyerID, key: VerifyingKey) {
    guard let receiptKey else {
      throw VaultError(
        .notEntitled, "the entitlements of this app name no shop",
        recoverySuggestion: "write the key from `coffer receipt key FILE` into the plist, as coffer-receipt-key")
    }
    return (BuyerID(genesis: try local.publishedMembership().genesis.hash, shop: receiptKey), receiptKey)
  }
}
