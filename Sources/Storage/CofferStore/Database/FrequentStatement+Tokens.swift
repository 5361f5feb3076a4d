/// The statements for one row of `token`: group, token, created, arrival, item and record are the values 1 to 6.
extension FrequentStatement {
  private static let isRow =
    "group_id = ?1 AND token = ?2 AND created = ?3 AND arrival = ?4 AND item = ?5 AND record = ?6"

  static let findToken = FrequentStatement("SELECT 1 FROM token WHERE \(isRow)")
  static let deleteToken = FrequentStatement("DELETE FROM token WHERE \(isRow)")
  static let insertToken = FrequentStatement(
    "INSERT OR IGNORE INTO token (group_id, token, created, arrival, item, record) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
}
