/// Replaces the function of Mbed TLS that reads a file of certificates: it reads none and returns an error.
///
/// libgit2 reads all of the system's certificates when it is initialised, which takes longer than the rest of a sync
/// without changes. This program never lets libgit2 connect to anything: ssh, git and `coffer-transport` carry the
/// bytes of every transfer. If libgit2 did connect, it would now trust no server. Only this program has the function, so
/// that it affects no app. It does nothing where libgit2 uses another library for TLS.
///
/// - Parameters:
///   - chain: Where the certificates would be added.
///   - path: The path of the file.
/// - Returns: `MBEDTLS_ERR_X509_FILE_IO_ERROR`.
@_cdecl("mbedtls_x509_crt_parse_file")
public func readNoCertificates(_ chain: UnsafeMutableRawPointer?, _ path: UnsafePointer<CChar>?) -> CInt { -0x2900 }
