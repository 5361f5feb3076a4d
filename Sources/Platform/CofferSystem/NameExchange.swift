internal import CPlatform

/// Exchanges the names of two files or folders on one file system, in one step: at every moment, each name has one of the
/// two. Throws an error with the number `EINVAL` or `ENOTSUP` if the file system cannot do that.
package func exchangeNames(_ first: String, _ second: String) throws(SystemError) {
  let number = unsafe coffer_exchange_names(first, second)
  guard number == 0 else { throw SystemError(number, "cannot exchange \(first) and \(second)") }
}
