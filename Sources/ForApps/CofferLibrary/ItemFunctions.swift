internal import Coffer
internal import CofferCrypto
internal import CofferPlatform
internal import CofferRequests

// The functions of coffer.h that reach items. The header describes them.

/// `coffer_find`.
@_cdecl("coffer_find") public func find(
  _ vault: Handle?, _ service: Text?, _ serviceCount: Int, _ account: Text?, _ accountCount: Int, _ group: Text?,
  _ groupCount: Int, _ items: HandleResult?, _ error: HandleResult?
) -> Int32 {
  unsafe status(error) { () throws(VaultError) in
    let open = try unsafe OpenVault.contents(of: vault)
    let items = try unsafe place(items, "items")
    var request = VaultRequest(.find, group: try unsafe text(group, groupCount, "group"))
    request.service = try unsafe text(service, serviceCount, "service")
    request.account = try unsafe text(account, accountCount, "account")
    let found = try open.ask(request)
    let rows = found.rows.map { RowList.Row($0, in: open) }
    unsafe items.pointee = RowList(rows, damagedCount: found.damagedCount).retained()
  }
}

/// `coffer_read`.
@_cdecl("coffer_read") public func read(
  _ vault: Handle?, _ service: Text?, _ serviceCount: Int, _ account: Text?, _ accountCount: Int, _ group: Text?,
  _ groupCount: Int, _ value: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?,
  _ valueCount: UnsafeMutablePointer<Int>?, _ error: HandleResult?
) -> Int32 {
  unsafe status(error) { () throws(VaultError) in
    let open = try unsafe OpenVault.contents(of: vault)
    let request = try unsafe request(.read, service, serviceCount, account, accountCount, group, groupCount)
    var found: [UInt8]?
    _ = try open.ask(request, value: &found)
    try unsafe store(&found, value, valueCount)
  }
}

/// `coffer_write`.
@_cdecl("coffer_write") public func write(
  _ vault: Handle?, _ service: Text?, _ serviceCount: Int, _ account: Text?, _ accountCount: Int, _ group: Text?,
  _ groupCount: Int, _ label: Text?, _ labelCount: Int, _ value: UnsafePointer<UInt8>?, _ valueCount: Int,
  _ error: HandleResult?
) -> Int32 {
  unsafe status(error) { () throws(VaultError) in
    let open = try unsafe OpenVault.contents(of: vault)
    var request = try unsafe request(.write, service, serviceCount, account, accountCount, group, groupCount)
    request.label = try unsafe text(label, labelCount, "label")
    var secret = try unsafe bytes(value, valueCount, "value", upTo: Vault.maximumValueByteCount)
    defer { secret?.wipe() }
    _ = try open.ask(request, value: &secret)
  }
}

/// `coffer_delete`.
@_cdecl("coffer_delete") public func delete(
  _ vault: Handle?, _ service: Text?, _ serviceCount: Int, _ account: Text?, _ accountCount: Int, _ group: Text?,
  _ groupCount: Int, _ error: HandleResult?
) -> Int32 {
  unsafe status(error) { () throws(VaultError) in
    let open = try unsafe OpenVault.contents(of: vault)
    let request = try unsafe request(.delete, service, serviceCount, account, accountCount, group, groupCount)
    guard try open.ask(request).flag else { throw .missing }
  }
}

/// `coffer_transaction`.
@_cdecl("coffer_transaction") public func transaction(
  _ vault: Handle?, _ body: (@convention(c) (UnsafeMutableRawPointer?) -> Int32)?, _ context: UnsafeMutableRawPointer?,
  _ error: HandleResult?
) -> Int32 {
  unsafe status(error) { () throws(VaultError) in
    let open = try unsafe OpenVault.contents(of: vault)
    guard let body = unsafe body else { throw .argument("the transaction has no body") }
    do {
      try open.own("a transaction").transaction {
        guard unsafe body(context) == 0 else {
          throw VaultError(.cancelled, "the transaction was undone by its body")
        }
      }
    } catch {
      throw error as? VaultError ?? VaultError(.io, "the transaction failed", recoverySuggestion: "try again")
    }
  }
}

/// `coffer_versions`.
@_cdecl("coffer_versions") public func versions(
  _ vault: Handle?, _ service: Text?, _ serviceCount: Int, _ account: Text?, _ accountCount: Int, _ group: Text?,
  _ groupCount: Int, _ versions: HandleResult?, _ error: HandleResult?
) -> Int32 {
  unsafe status(error) { () throws(VaultError) in
    let open = try unsafe OpenVault.contents(of: vault)
    let versions = try unsafe place(versions, "versions")
    let request = try unsafe request(.versions, service, serviceCount, account, accountCount, group, groupCount)
    let history = try open.ask(request)
    let rows = history.rows.map { RowList.Row($0, of: request, in: open) }
    unsafe versions.pointee = RowList(rows, damagedCount: history.damagedCount).retained()
  }
}

/// `coffer_list_value`.
@_cdecl("coffer_list_value") public func listValue(
  _ list: Handle?, _ row: Int, _ value: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?,
  _ valueCount: UnsafeMutablePointer<Int>?, _ error: HandleResult?
) -> Int32 {
  unsafe status(error) { () throws(VaultError) in
    guard let row = try unsafe RowList.contents(of: list).row(row) else { throw .argument("the list has no such row") }
    var found = try row.value()
    try unsafe store(&found, value, valueCount)
  }
}

/// `coffer_list_count`.
@_cdecl("coffer_list_count") public func listCount(_ list: Handle?) -> Int {
  (try? unsafe RowList.contents(of: list).rows.count) ?? 0
}

/// `coffer_list_damaged`.
@_cdecl("coffer_list_damaged") public func listDamaged(_ list: Handle?) -> Int {
  (try? unsafe RowList.contents(of: list).damagedCount) ?? 0
}

/// `coffer_list_text`.
@_cdecl("coffer_list_text") public func listText(
  _ list: Handle?, _ row: Int, _ text: Int32, _ count: UnsafeMutablePointer<Int>?
) -> Text? {
  let found = (try? unsafe RowList.contents(of: list))?.row(row)?.texts[text]
  if let count = unsafe count { unsafe count.pointee = found?.count ?? 0 }
  return unsafe found?.start
}

/// `coffer_list_number`.
@_cdecl("coffer_list_number") public func listNumber(_ list: Handle?, _ row: Int, _ number: Int32) -> Int64 {
  (try? unsafe RowList.contents(of: list))?.row(row)?.numbers[number] ?? -1
}

/// `coffer_list_free`.
@_cdecl("coffer_list_free") public func freeList(_ list: Handle?) { unsafe RowList.free(list) }

/// `coffer_value_free`.
@_cdecl("coffer_value_free") public func freeValue(_ value: UnsafeMutablePointer<UInt8>?, _ valueCount: Int) {
  unsafe UnsafeMutableRawBufferPointer(start: value, count: max(valueCount, 0)).wipe()
  unsafe free(value)
}
