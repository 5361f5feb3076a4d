/// The pending records have reached their size limit.
struct PendingOverflow: Error {}
