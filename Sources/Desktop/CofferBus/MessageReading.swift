internal import CDBus
internal import CofferPlatform
internal import CofferSystem

/// Reads the values of a message, which libdbus has validated.
@safe struct MessageReading: ~Copyable {
  /// libdbus permits arrays and structures within each other up to this depth, and variants count, too.
  private static let maximumDepth = 64

  /// Returns the values as far as the limits permit.
  static func values(in message: OpaquePointer, _ limits: inout ReadingLimits) -> [BusValue] {
    var place = unsafe DBusMessageIter()
    guard unsafe dbus_message_iter_init(message, &place) != 0 else { return [] }
    return unsafe elements(&place, depth: 0, &limits)
  }

  private static func elements(_ place: inout DBusMessageIter, depth: Int, _ limits: inout ReadingLimits) -> [BusValue]
  {
    var values: [BusValue] = []
    while unsafe dbus_message_iter_get_arg_type(&place) != 0, !limits.isExceeded {
      unsafe values.append(value(&place, depth: depth, &limits))
      _ = unsafe dbus_message_iter_next(&place)
    }
    return values
  }

  private static func value(_ place: inout DBusMessageIter, depth: Int, _ limits: inout ReadingLimits) -> BusValue {
    guard depth < maximumDepth, limits.take(0) else { return .other }
    switch unsafe Unicode.Scalar(UInt8(truncatingIfNeeded: dbus_message_iter_get_arg_type(&place))) {
    case "s": return .text(unsafe string(&place, &limits))
    case "o": return .path(unsafe string(&place, &limits))
    case "b":
      var flag: dbus_bool_t = 0
      unsafe dbus_message_iter_get_basic(&place, &flag)
      return .flag(flag != 0)
    case "t":
      var number: UInt64 = 0
      unsafe dbus_message_iter_get_basic(&place, &number)
      return .number(number)
    case "u":
      var number: UInt32 = 0
      unsafe dbus_message_iter_get_basic(&place, &number)
      return .shortNumber(number)
    case "h":
      guard limits.readsDescriptors else { return .other }
      var descriptor: Int32 = -1
      unsafe dbus_message_iter_get_basic(&place, &descriptor)
      return descriptor < 0 ? .other : .descriptor(BusDescriptor(Descriptor(owning: descriptor)))
    case "v":
      var inner = unsafe DBusMessageIter()
      unsafe dbus_message_iter_recurse(&place, &inner)
      return unsafe .variant(value(&inner, depth: depth + 1, &limits))
    case "r":
      var inner = unsafe DBusMessageIter()
      unsafe dbus_message_iter_recurse(&place, &inner)
      return unsafe .structure(elements(&inner, depth: depth + 1, &limits))
    case "a": return unsafe array(&place, depth: depth, &limits)
    default: return .other
    }
  }

  private static func string(_ place: inout DBusMessageIter, _ limits: inout ReadingLimits) -> String {
    var text: UnsafePointer<CChar>?
    unsafe dbus_message_iter_get_basic(&place, &text)
    guard let text = unsafe text, limits.take(unsafe strlen(text)) else { return "" }
    return unsafe String(cString: text)
  }

  private static func array(_ place: inout DBusMessageIter, depth: Int, _ limits: inout ReadingLimits) -> BusValue {
    let kind = unsafe dbus_message_iter_get_element_type(&place)
    var inner = unsafe DBusMessageIter()
    unsafe dbus_message_iter_recurse(&place, &inner)
    switch Unicode.Scalar(UInt8(truncatingIfNeeded: kind)) {
    case "y":
      var start: UnsafePointer<UInt8>?
      var count: Int32 = 0
      unsafe dbus_message_iter_get_fixed_array(&inner, &start, &count)
      guard limits.take(Int(count)) else { return .other }
      return .bytes(unsafe Array(UnsafeBufferPointer(start: start, count: Int(count))))
    case "e":
      let signature = unsafe signature(of: &inner)
      var pairs: [BusValue.Pair] = []
      while unsafe dbus_message_iter_get_arg_type(&inner) == kind, !limits.isExceeded {
        var pair = unsafe DBusMessageIter()
        unsafe dbus_message_iter_recurse(&inner, &pair)
        let contents = unsafe elements(&pair, depth: depth + 1, &limits)
        if contents.count == 2 { pairs.append(BusValue.Pair(contents[0], contents[1])) }
        _ = unsafe dbus_message_iter_next(&inner)
      }
      // {sv}: the first type is the key's, because a key has a basic type.
      let types = signature.dropFirst().dropLast()
      return .pairs(key: String(types.prefix(1)), value: String(types.dropFirst()), pairs)
    default:
      let signature = unsafe signature(of: &inner)
      return unsafe .list(of: signature, elements(&inner, depth: depth + 1, &limits))
    }
  }

  private static func signature(of place: inout DBusMessageIter) -> String {
    guard let text = unsafe dbus_message_iter_get_signature(&place) else { return "" }
    defer { unsafe dbus_free(text) }
    return unsafe String(cString: text)
  }
}
