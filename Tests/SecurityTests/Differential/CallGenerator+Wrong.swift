import CofferTestSupport

extension CallGenerator {
  /// Makes a call wrong in one way.
  mutating func spoil(_ call: inout KeychainCall) {
    if call.function == .update, random.chance(50) {
      spoilNewValues(&call.newValues)
      return
    }
    guard call.query["v_PersistentRef"] == nil else {
      call.query[random.pick(["labl", "acct", "sync", "agrp"])] = .text("1")
      return
    }
    switch Int.random(in: 0..<13, using: &random) {
    case 0: call.query["class"] = nil
    case 1: call.query["class"] = random.pick([.text("abcd"), .text("genericPassword"), .text("")])
    case 2: call.query = [:]
    case 3: call.query["agrp"] = .text(ModelText(random.pick(ValueUniverse.groupsOfNobody)))
    case 4: call.query["agrp"] = .list
    case 5: call.query["sync"] = .list
    case 6: call.query = ["class": .text("genp"), "v_PersistentRef": random.pick(ValueUniverse.wrongReferences)]
    case 7: call.query["zzzz"] = .number(1)
    case 8: call.query[random.pick(["unknownKey", "x", "acc"])] = .text("x")
    case 9: call.query[random.pick(["cdat", "mdat"])] = random.pick([.text("2001-01-01"), .number(5), .list])
    case 10: spoilForFunction(&call)
    default: spoilAttribute(&call.query, call.query["class"])
    }
    if call.function == .add { call.query["v_PersistentRef"] = nil }
  }

  /// Adds a wrong value for a key that only this function reads.
  private mutating func spoilForFunction(_ call: inout KeychainCall) {
    switch call.function {
    case .add:
      switch Int.random(in: 0..<3, using: &random) {
      case 0: call.query["v_Data"] = random.pick([.text("secret"), .number(1), .list])
      case 1: call.query["r_Attributes"] = random.pick(ValueUniverse.wrongTruths)
      default:
        call.query["pdmn"] = .text("ak")
        call.query["accc"] = .accessControl("ck")
      }
    case .copyMatching:
      if random.chance(50) {
        call.query[random.pick(["r_Data", "r_Attributes", "r_PersistentRef"])] = random.pick(ValueUniverse.wrongTruths)
      } else {
        call.query["m_Limit"] = random.pick(ValueUniverse.wrongLimits)
      }
    case .update, .delete:
      // Not wrong: nothing reads these keys here.
      call.query["m_Limit"] = random.pick(ValueUniverse.wrongLimits)
      call.query["r_Data"] = random.pick(ValueUniverse.wrongTruths)
    }
  }

  private mutating func spoilNewValues(_ values: inout ModelDictionary) {
    switch Int.random(in: 0..<9, using: &random) {
    case 0: values = [:]
    case 1: values["class"] = random.pick([.text("genp"), .text("inet")])
    case 2: values["sync"] = .text("syna")
    case 3: values["agrp"] = .text(ModelText(random.pick(ValueUniverse.groupsOfNobody)))
    case 4: values["v_Data"] = random.pick([.text("secret"), .number(1), .list])
    case 5: values["zzzz"] = .number(1)
    case 6: values["unknownKey"] = .text("x")
    default: spoilAttribute(&values, nil)
    }
  }

  /// Adds an attribute of the wrong type or of another class.
  private mutating func spoilAttribute(_ dictionary: inout ModelDictionary, _ itemClass: ModelValue?) {
    switch itemClass {
    case .text("genp"):
      let wrong = random.pick(
        [
          ("acct", .boolean(true)), ("acct", .list), ("svce", .date(5)), ("labl", .boolean(false)),
          ("crtr", .bytes([1])), ("invi", .list), ("srvr", .text("a.example.com")), ("kcls", .text("0")),
          ("port", .number(80)),
        ] as [(String, ModelValue)])
      dictionary[wrong.0] = wrong.1
    case .text("inet"):
      let wrong = random.pick(
        [
          ("srvr", .boolean(true)), ("srvr", .list), ("port", .bytes([80])), ("port", .date(5)), ("path", .date(5)),
          ("svce", .text("mail")), ("gena", .bytes([1])), ("atag", .text("tag")),
        ] as [(String, ModelValue)])
      dictionary[wrong.0] = wrong.1
    case .text("cert"):
      let wrong = random.pick(
        [
          ("issr", .boolean(true)), ("slnr", .list), ("ctyp", .bytes([1])), ("acct", .text("jane")),
          ("kcls", .number(1)), ("svce", .text("mail")),
        ] as [(String, ModelValue)])
      dictionary[wrong.0] = wrong.1
    case .text("keys"):
      let wrong = random.pick(
        [
          ("klbl", .boolean(true)), ("atag", .list), ("bsiz", .bytes([1])), ("sdat", .text("2001-01-01")),
          ("sdat", .number(5)), ("edat", .list), ("acct", .text("jane")), ("svce", .text("mail")),
        ] as [(String, ModelValue)])
      dictionary[wrong.0] = wrong.1
    default: dictionary["labl"] = random.pick([.boolean(true), .list, .date(5)])
    }
  }
}
