/// The reason why a text has no QR code. It contains nothing of the text.
package enum QRCodeError: Error, Hashable, Sendable {
  /// The text is empty.
  case empty
  /// The text has more than ``QRCode/maximumByteCount`` bytes.
  case tooLong
  /// The text has a byte that is not printable ASCII. Readers guess the encoding of other characters.
  case notPrintable
  /// The system has no memory left for the code.
  case outOfMemory
}
