#if os(Linux)
  @_exported import Security
#endif
