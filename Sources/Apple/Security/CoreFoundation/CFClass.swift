internal import Foundation

/// The type identifiers of the classes. Not Apple's values, which differ between processes too.
enum CFClass: CFTypeID {
  case other = 1
  case null, boolean, number, string, data, date, url, array, dictionary, set, error, allocator
  case accessControl, key, certificate, identity, trust, policy

  init(_ object: AnyObject?) {
    self =
      switch object {
      case let number as NSNumber: number.isBoolean ? .boolean : .number
      case is NSString: .string
      case is NSData: .data
      case is NSDictionary: .dictionary
      case is NSArray: .array
      case is NSSet: .set
      case is NSDate: .date
      case is NSURL: .url
      case is NSNull: .null
      case is NSError: .error
      case is CFAllocator: .allocator
      case is SecAccessControl: .accessControl
      case is SecKey: .key
      case is SecCertificate: .certificate
      case is SecIdentity: .identity
      case is SecTrust: .trust
      case is SecPolicy: .policy
      default: .other
      }
  }
}
