package import CofferPlatform

extension Date {
  /// The date in the machine's time zone, to the second: `2026-11-21 00:31:49`.
  ///
  /// The C library knows the time zone. FoundationEssentials does not: its current time zone is always GMT.
  package var localText: String {
    guard var seconds = time_t(exactly: timeIntervalSince1970.rounded(.down)) else { return "\(self)" }
    var fields = unsafe tm()
    guard unsafe localtime_r(&seconds, &fields) != nil else { return "\(self)" }
    let numbers = unsafe [
      fields.tm_year + 1_900, fields.tm_mon + 1, fields.tm_mday, fields.tm_hour, fields.tm_min, fields.tm_sec,
    ]
    let texts = zip(numbers, [4, 2, 2, 2, 2, 2]).map { number, width in
      let digits = String(number)
      return String(repeating: "0", count: max(width - digits.count, 0)) + digits
    }
    return texts[..<3].joined(separator: "-") + " " + texts[3...].joined(separator: ":")
  }

  /// Creates the first moment of a day in the machine's time zone; nil if the day does not exist.
  package init?(year: Int, month: Int, day: Int) {
    guard let year = Int32(exactly: year - 1_900), let month = Int32(exactly: month - 1), let day = Int32(exactly: day)
    else { return nil }
    // Where the clock is put forward at midnight, the day begins later.
    for hour in 0..<3 as Range<Int32> {
      var fields = unsafe tm()
      unsafe (fields.tm_year, fields.tm_mon, fields.tm_mday, fields.tm_hour, fields.tm_isdst) =
        (year, month, day, hour, -1)
      let seconds = unsafe mktime(&fields)
      if unsafe (fields.tm_year, fields.tm_mon, fields.tm_mday) == (year, month, day) {
        self.init(timeIntervalSince1970: Double(seconds))
        return
      }
    }
    return nil
  }
}
