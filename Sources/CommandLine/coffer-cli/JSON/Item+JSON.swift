internal import Coffer
internal import CofferInspection
internal import CofferPlatform
internal import CofferTerminal

extension ItemRow {
  /// The item in the output of `--json`, without its value. Names are as they are stored.
  var json: JSONObject {
    let object: JSONObject = [
      "reference": reference.path, "created": created, "modified": modified, "expires": expires,
      "hasConflict": hasConflict,
    ]
    return object.including(names).including(JSONObject.writer(writer))
  }
}

extension ItemDetails {
  /// The item with all attributes, as `coffer show --json` prints it: the same keys as in a list, and more.
  var json: JSONObject {
    let object: JSONObject = [
      "class": row.kind.argument, "group": row.group, "access": isWritable ? AccessGraph.Access.readWrite : .read,
      "attributes": attributes.map { ["code": $0.code, "name": $0.name, "text": $0.text] as JSONObject },
      "written": written, "versionCount": versionCount,
    ]
    return object.including(row.json)
  }
}

extension FoundPassword {
  /// The password in the output of `list`, and with its value in that of `get`.
  func json(value: Data? = nil) -> JSONObject {
    let object: JSONObject = [
      "class": kind.rawValue, "reference": reference, "group": group, "service": kind == .generic ? place : nil,
      "server": kind == .internet ? place : nil, "account": account, "label": label, "created": created,
      "modified": modified, "hasConflict": hasConflict, "hasOneTimeCodes": hasOneTimeCodes ? true : nil,
      "secretReference": secretReference?.text,
    ]
    return object.including(JSONObject.writer(writer)).including(JSONObject.value(value))
  }
}
