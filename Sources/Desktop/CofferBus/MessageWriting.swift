internal import CDBus
internal import CofferSystem

/// Appends values to a message.
enum MessageWriting {
  /// Appends values. Returns false if no memory is left.
  static func append(_ values: [BusValue], to message: OpaquePointer) -> Bool {
    var place = unsafe DBusMessageIter()
    unsafe dbus_message_iter_init_append(message, &place)
    return values.allSatisfy { unsafe append($0, to: &place) }
  }

  private static func append(_ value: BusValue, to place: inout DBusMessageIter) -> Bool {
    switch value {
    case .text(let text): return unsafe append(text, "s", to: &place)
    case .path(let path): return unsafe append(path, "o", to: &place)
    case .flag(let flag):
      var number: dbus_bool_t = flag ? 1 : 0
      return unsafe dbus_message_iter_append_basic(&place, code("b"), &number) != 0
    case .number(var number): return unsafe dbus_message_iter_append_basic(&place, code("t"), &number) != 0
    case .shortNumber(var number): return unsafe dbus_message_iter_append_basic(&place, code("u"), &number) != 0
    case .bytes(let bytes): return unsafe append(bytes, to: &place)
    case .structure(let elements):
      return unsafe container("r", nil, in: &place) { inner in
        elements.allSatisfy { unsafe append($0, to: &inner) }
      }
    case .list(let element, let elements):
      return unsafe container("a", element, in: &place) { inner in
        elements.allSatisfy { unsafe append($0, to: &inner) }
      }
    case .pairs(let key, let value, let pairs):
      return unsafe container("a", "{\(key)\(value)}", in: &place) { inner in
        pairs.allSatisfy { pair in
          unsafe container("e", nil, in: &inner) { entry in
            unsafe append(pair.key, to: &entry) && append(pair.value, to: &entry)
          }
        }
      }
    case .variant(let inside):
      return unsafe container("v", inside.signature, in: &place) { inner in unsafe append(inside, to: &inner) }
    case .descriptor(let descriptor):
      var number = descriptor.descriptor.rawValue
      return unsafe dbus_message_iter_append_basic(&place, code("h"), &number) != 0
    case .other: return false
    }
  }

  private static func container(
    _ kind: Unicode.Scalar, _ signature: String?, in place: inout DBusMessageIter,
    _ body: (inout DBusMessageIter) -> Bool
  ) -> Bool {
    var inner = unsafe DBusMessageIter()
    guard unsafe dbus_message_iter_open_container(&place, code(kind), signature, &inner) != 0 else { return false }
    guard unsafe body(&inner) else {
      unsafe dbus_message_iter_abandon_container(&place, &inner)
      return false
    }
    return unsafe dbus_message_iter_close_container(&place, &inner) != 0
  }

  private static func append(_ text: String, _ kind: Unicode.Scalar, to place: inout DBusMessageIter) -> Bool {
    unsafe text.withCString { text in
      var pointer: UnsafePointer<CChar>? = unsafe text
      return unsafe dbus_message_iter_append_basic(&place, code(kind), &pointer) != 0
    }
  }

  private static func append(_ bytes: [UInt8], to place: inout DBusMessageIter) -> Bool {
    unsafe container("a", "y", in: &place) { inner in
      unsafe bytes.withUnsafeBufferPointer { bytes in
        guard bytes.count > 0 else { return true }
        var start = bytes.baseAddress
        return unsafe dbus_message_iter_append_fixed_array(&inner, code("y"), &start, Int32(bytes.count)) != 0
      }
    }
  }

  private static func code(_ kind: Unicode.Scalar) -> Int32 { Int32(kind.value) }
}
