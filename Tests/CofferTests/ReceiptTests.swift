import Coffer
import CofferCrypto
import CofferFormat
import CofferTesting
import CofferVault
import Foundation
import Testing

/// Receipts of a shop, in two vaults with the seller's app and one that only reads.
@Suite struct ReceiptTests {
  private let purchase = GenericPassword(service: "store", account: "pro")
  private let group = "com.example.purchases"
  private let shop: String
  private let key: VerifyingKey
  private let seller: Vault
  private let reader: Vault

  init() throws {
    let secret = VendorKey.random(.shop)
    shop = unsafe secret.text.withBytes { unsafe String(decoding: $0, as: UTF8.self) }
    key = try secret.signing().publicKey
    (seller, reader) = try Self.apps(of: key)
  }

  private static func plist(_ application: String, groups: [String], readOnly: [String] = [], _ key: VerifyingKey?)
    -> EntitlementsSource
  {
    var text = String(decoding: TemporaryVault.plist(application, groups: groups, readOnly: readOnly), as: UTF8.self)
    if let key {
      let encoded = String(decoding: Base64.encode(key.raw.bytes), as: UTF8.self)
      text = text.replacing("</dict>", with: "<key>coffer-receipt-key</key><string>\(encoded)</string></dict>")
    }
    return .bytes(Array(text.utf8))
  }

  private static func apps(of key: VerifyingKey) throws -> (seller: Vault, reader: Vault) {
    let seller = try Vault.inMemory(
      entitlements: plist("com.example.pro", groups: ["~com.example.pro", "~com.example.purchases"], key))
    return (
      seller,
      try seller.reopened(as: plist("com.example.free", groups: [], readOnly: ["~com.example.purchases"], key))
    )
  }

  private func receipt(
    for buyer: Vault? = nil, product: String = "pro", expires: Date? = nil, isRefund: Bool = false
  ) throws -> String {
    try Receipt.issue(
      product: product, buyer: (buyer ?? seller).receiptBuyer, expires: expires, isRefund: isRefund, note: "order 1",
      signedBy: shop
    ).text
  }

  @Test func `A receipt unlocks the app that only reads it, until a refund is redeemed`() throws {
    #expect(try reader.receipt(for: purchase, in: group) == nil)
    let redeemed = try seller.redeem(receipt(), for: purchase, in: group)
    #expect(redeemed.note == "order 1" && redeemed.product == "pro" && redeemed.expires == nil)
    #expect(try reader.receipt(for: purchase, in: group) == redeemed)
    #expect(try reader.receiptBuyer == seller.receiptBuyer)
    // The line of a mail, broken into two.
    let refund = try receipt(isRefund: true)
    let broken = refund.prefix(40) + "\n " + refund.dropFirst(40) + "\n"
    #expect(try seller.redeem(String(broken), for: purchase, in: group).isRefund)
    #expect(try reader.receipt(for: purchase, in: group) == nil)
    #expect(code { _ = try reader.redeem(receipt(), for: purchase, in: group) } == .notEntitled)
  }

  @Test func `An older receipt that is redeemed or restored after a refund counts for nothing`() throws {
    let first = try receipt()
    try seller.redeem(first, for: purchase, in: group)
    try seller.redeem(receipt(isRefund: true), for: purchase, in: group)
    #expect(code { try seller.redeem(first, for: purchase, in: group) } == .invalidArgument)
    let versions = try seller.history(of: purchase, in: group).versions
    let oldest = try #require(versions.last)
    try seller.restore(oldest)
    #expect(try seller.string(for: purchase, in: group) == first)
    #expect(try reader.receipt(for: purchase, in: group) == nil)
    // A deletion by the app ends it, too; and one that is bought again counts.
    try seller.delete(purchase, in: group)
    #expect(try reader.receipt(for: purchase, in: group) == nil)
    try seller.redeem(receipt(), for: purchase, in: group)
    #expect(try reader.receipt(for: purchase, in: group) != nil)
  }

  @Test func `Without a group, the first one that has the item decides, and a receipt is redeemed in the default one`()
    throws
  {
    // The item was in the app's first group, and was deleted there.
    try seller.redeem(receipt(), for: purchase)
    try seller.delete(purchase)
    try seller.redeem(receipt(), for: purchase, in: group)
    #expect(try seller.receipt(for: purchase) == seller.receipt(for: purchase, in: group))
    #expect(try seller.receipt(for: purchase) != nil)
    try seller.delete(purchase, in: group)
    #expect(try seller.receipt(for: purchase) == nil)
    // A newer receipt in another group does not prevent it.
    let (other, _) = try Self.apps(of: key)
    let (older, newer) = (try receipt(for: other), try receipt(for: other))
    try other.redeem(newer, for: purchase, in: group)
    try other.redeem(older, for: purchase)
    #expect(try other.receipt(for: purchase)?.text == older)
    #expect(try other.receipt(for: purchase, in: group)?.text == newer)
  }

  @Test func `A replaced version under an application password does not take a receipt away`() throws {
    // An access control that cannot be read counts as one with a password.
    let attributes = ItemAttributes([
      .service: .string("store"), .account: .string("pro"), .accessControl: .data([0xff]),
    ])
    _ = try seller.add(ItemDraft(itemClass: .genericPassword, attributes: attributes, value: [1]), in: group)
    #expect(code { _ = try seller.receipt(for: purchase, in: group) } == .locked)
    try seller.delete(purchase, in: group)
    let text = try receipt()
    try seller.redeem(text, for: purchase, in: group)
    #expect(try reader.receipt(for: purchase, in: group)?.text == text)
    let versions = try seller.history(of: purchase, in: group).versions
    #expect(versions.count == 3 && versions.contains(where: \.isPasswordProtected))
    seller.lock()
    #expect(code { _ = try seller.receipt(for: purchase, in: group) } == .locked)
  }

  @Test func `A receipt of another vault, of another key or for another product is refused, also if it is stored`()
    throws
  {
    let (stranger, strangersReader) = try Self.apps(of: key)
    #expect(try stranger.receiptBuyer != seller.receiptBuyer)
    let forged = try Receipt.issue(
      product: "pro", buyer: seller.receiptBuyer,
      signedBy: unsafe VendorKey.random(.shop).text.withBytes { unsafe Data($0) })
    let altered = try receipt().replacing("coffer-receipt-1:Q2ZSdA", with: "coffer-receipt-1:Q2ZSdB")
    for (text, expected) in [
      (try receipt(for: stranger), VaultError.Code.integrity), (forged.text, .integrity),
      (try receipt(product: "lite"), .integrity), (altered, .invalidArgument), ("bought", .invalidArgument),
      ("", .invalidArgument), (String(repeating: "x", count: 9_999), .invalidArgument),
    ] {
      #expect(code { try seller.redeem(text, for: purchase, in: group) } == expected, "\(text.prefix(99))")
      #expect(try seller.storedItem(for: purchase, in: group) == nil)
    }
    // As the owner of both vaults copies it.
    let genuine = try receipt()
    try seller.redeem(genuine, for: purchase, in: group)
    try stranger.set(genuine, for: purchase, in: group)
    #expect(code { _ = try strangersReader.receipt(for: purchase, in: group) } == .integrity)
    #expect(try reader.receipt(for: purchase, in: group) != nil)
  }

  @Test func `Two shops know one vault by different names`() throws {
    let other = try VendorKey.random(.shop).signing().publicKey
    let app = try seller.reopened(as: Self.plist("com.example.elsewhere", groups: [], other))
    #expect(try app.receiptBuyer != seller.receiptBuyer)
    #expect(try app.receiptBuyer.wholeMatch(of: /[0-9a-f]{32}/) != nil)
  }

  @Test func `A receipt counts until it expires`() throws {
    let end = Date().addingTimeInterval(1_000)
    try seller.redeem(receipt(expires: end), for: purchase, in: group)
    #expect(
      try reader.receipt(for: purchase, in: group)?.expires.map { abs($0.timeIntervalSince(end)) < 0.001 } == true)
    let later = Timestamp(end)
    #expect(try Timestamp.withClock(at: later) { try reader.receipt(for: purchase, in: group) } == nil)
    // The shop sells another year.
    try seller.redeem(receipt(expires: end.addingTimeInterval(1_000)), for: purchase, in: group)
    #expect(try Timestamp.withClock(at: later) { try reader.receipt(for: purchase, in: group) } != nil)
    #expect(code { _ = try receipt(expires: Date().addingTimeInterval(-1)) } == .invalidArgument)
    #expect(code { _ = try Receipt.issue(product: "", buyer: seller.receiptBuyer, signedBy: shop) } == .invalidArgument)
    #expect(code { _ = try Receipt.issue(product: "pro", buyer: "x", signedBy: shop) } == .invalidArgument)
  }

  @Test
  func `An app whose plist names no shop is told what to write into it, and a plist with another value is refused`()
    throws
  {
    let without = try seller.reopened(as: Self.plist("com.example.other", groups: [], nil))
    #expect(code { _ = try without.receipt(for: purchase) } == .notEntitled)
    #expect(code { _ = try without.receiptBuyer } == .notEntitled)
    let text = String(decoding: TemporaryVault.plist("com.example.odd"), as: UTF8.self)
      .replacing("</dict>", with: "<key>coffer-receipt-key</key><string>AAAA</string></dict>")
    #expect(code { _ = try seller.reopened(as: .bytes(Array(text.utf8))) } == .notEntitled)
  }
}
