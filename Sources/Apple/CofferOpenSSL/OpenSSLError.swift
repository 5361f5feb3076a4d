/// An error of a call of OpenSSL.
package enum OpenSSLError: Error, Equatable {
  /// The library is not installed, for the reason that the system states.
  case unavailable(String)
  /// The file is encrypted with RC2 or RC4, and OpenSSL's provider of old ciphers is not installed.
  case legacyProviderMissing
  /// The library failed without a cause in the input.
  case failed
  /// The bytes do not have the expected format.
  case damaged
  /// The bytes have the expected format, with an algorithm that is not supported.
  case unsupported
  /// The file has more bytes, or demands more iterations, than allowed.
  case tooCostly
  /// The passphrase is wrong, or the file was changed.
  case wrongPassphrase
}
